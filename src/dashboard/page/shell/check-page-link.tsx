import { useQuery } from '@tanstack/react-query';
import { ClipboardCheck } from 'lucide-react';

/** No page of the dashboard: the last check has one of its own. */
const CHECK = '/check';

/** Whether a check was run in the folder of the emulator, as the headers of this page say. */
async function hasCheck(): Promise<boolean> {
  const { headers } = await fetch(window.location.pathname, { method: 'HEAD' });
  return headers.get('link')?.includes(`<${CHECK}>`) ?? false;
}

/** The link of the navigation to the page of the last check, where there is one. */
export default function CheckPageLink() {
  const { data } = useQuery({ queryKey: ['check'], queryFn: hasCheck, refetchOnWindowFocus: 'always' });
  if (!data) return null;
  return (
    <li>
      <a href={CHECK}>
        <ClipboardCheck aria-hidden />
        <span className="area-name cut grow">Check</span>
      </a>
    </li>
  );
}
