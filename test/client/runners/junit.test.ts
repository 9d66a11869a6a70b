import { expect, it } from 'vitest';
import { printJunitXml } from '../../../src/client/runners/junit.ts';

it('writes a JUnit test for each case and for a failed command, and counts them', () => {
  const xml = printJunitXml({
    ...{ of: 'verify', suite: 'https://api.example.com', seconds: 1.5 },
    error: { exit_code: 2, message: 'The "key" is wrong.' },
    cases: [
      { classname: 'listJobs', name: 'a page', seconds: '0.010' },
      { classname: 'listJobs', name: 'a cursor', skipped: 'not measured' },
      {
        classname: 'listJobs',
        name: 'a limit',
        failure: { message: '<none>', type: 'exit', body: ['one', 'two & more'] },
      },
    ],
  });
  const counts = 'tests="4" failures="1" skipped="1" errors="1" time="1.5"';
  expect(xml.split('\n')).toEqual([
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="svc-emulator verify" ${counts}>`,
    `  <testsuite name="https://api.example.com" ${counts}>`,
    '    <testcase classname="listJobs" name="a page" time="0.010"/>',
    '    <testcase classname="listJobs" name="a cursor">',
    '      <skipped message="not measured"/>',
    '    </testcase>',
    '    <testcase classname="listJobs" name="a limit">',
    '      <failure type="exit" message="&lt;none&gt;">one',
    'two &amp; more</failure>',
    '    </testcase>',
    '    <testcase classname="verify" name="ends well">',
    '      <error type="exit 2" message="The &quot;key&quot; is wrong."/>',
    '    </testcase>',
    '  </testsuite>',
    '</testsuites>',
    '',
  ]);
});
