// JUnit reports have no specification, but continuous integration systems can read the reports that Ant writes. These
// tests therefore expect the structure of Ant's reports: the same elements, in the same order, with the same
// attributes.

import sax from 'sax';
import { describe, expect, it } from 'vitest';
import { renderJunit } from '../../../src/advisor/render-junit.ts';
import { ruleIds } from '../../../src/advisor/thresholds.ts';
import { emptyReport, fullReport } from './reports.ts';

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** Parses XML. Fails if it is not well-formed. */
function parse(xml: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const parser = sax.parser(true);
  parser.onerror = (error) => {
    throw error;
  };
  parser.onopentag = ({ name, attributes }) => {
    const element = { name, attributes: attributes as Record<string, string>, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  };
  parser.ontext = (text) => {
    const top = open.at(-1);
    if (top) top.text += text;
  };
  parser.onclosetag = () => void open.pop();
  parser.write(xml).close();
  return root.children[0] as Element;
}

const suiteOf = (xml: string): Element => parse(xml).children[0] as Element;
const casesOf = ({ children }: Element): Element[] => children.filter(({ name }) => name === 'testcase');
const attributesOf = ({ attributes }: Element): string[] => Object.keys(attributes).sort();

describe.each([
  ['findings', fullReport],
  ['none', emptyReport],
])('renderJunit for a report with %s', (_name, report) => {
  const xml = renderJunit(report);
  const root = parse(xml);
  const suite = suiteOf(xml);
  const cases = casesOf(suite);

  it('writes one suite with the attributes and the children of the format, in their order', () => {
    expect([root.name, root.children.map(({ name }) => name)]).toEqual(['testsuites', ['testsuite']]);
    expect(attributesOf(suite)).toEqual(
      ['name', 'tests', 'failures', 'errors', 'skipped', 'time', 'timestamp', 'hostname', 'id', 'package'].sort(),
    );
    expect(suite.attributes['timestamp']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    expect(suite.children.map(({ name }) => name)).toEqual([
      'properties',
      ...cases.map(() => 'testcase'),
      'system-out',
      'system-err',
    ]);
  });

  it('writes cases with a name, a class and a time, and at most one result', () => {
    for (const test of cases) {
      expect(attributesOf(test)).toEqual(['classname', 'name', 'time']);
      expect(test.children.length).toBeLessThan(2);
      for (const { name, attributes } of test.children) {
        expect(['failure', 'skipped']).toContain(name);
        if (name === 'failure') expect(Object.keys(attributes).sort()).toEqual(['message', 'type']);
      }
    }
    expect(new Set(cases.map(({ attributes }) => attributes['name'])).size).toBe(cases.length);
  });

  it('counts the cases, the failures and the skipped cases', () => {
    const count = (kind: string): number => cases.filter(({ children }) => children[0]?.name === kind).length;
    expect(suite.attributes).toMatchObject({
      tests: String(cases.length),
      failures: String(count('failure')),
      skipped: String(count('skipped')),
      errors: '0',
    });
    expect([count('failure'), count('skipped')]).toEqual([report.findings.length, report.ignored.length]);
    expect(cases.length).toBeGreaterThanOrEqual(ruleIds.length);
  });
});

it('renderJunit escapes texts that applications send', () => {
  const failure = casesOf(suiteOf(renderJunit(fullReport))).flatMap(({ children }) => children)[0];
  expect(failure?.text).toContain(`<a> & "b"?`);
});
