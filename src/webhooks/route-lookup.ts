import type { LookupFunction } from 'node:net';
import type { Route } from './url-guard.ts';

/** Looks names up as a route allows: what was checked is what is connected to. */
export function lookupOf(route: Route): LookupFunction {
  return (host, { all }, done) => {
    route.addresses(host).then(
      (addresses) => {
        const [first] = addresses;
        if (all || !first) return done(null, addresses);
        done(null, first.address, first.family);
      },
      (error: Error) => done(error, []),
    );
  };
}
