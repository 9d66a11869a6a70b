import { z } from 'zod';
import { invalid } from '../../errors.ts';
import type { StepKind } from '../../flows/step-kind.ts';
import { optional, text } from '../../http/field-schemas.ts';
import { BodyReader } from '../body-reader.ts';
import { checkBody } from './check-body.ts';

const link = z.string().superRefine((url, context) => {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return;
  context.addIssue({ code: 'custom', message: 'must be an http(s) URL.' });
});

const postParams = z.object({
  text: optional(text()).describe('the text of the post.'),
  url: optional(link).describe('the http(s) URL of what the post shows, as {{steps.1.url}}.'),
});

/** Waits for somebody's click; nothing is ordered, and nothing charged. */
export function postStep(): StepKind {
  const reader = new BodyReader(postParams);
  return {
    output: 'post',
    check: (params, isOpen) =>
      checkBody(reader, { params, isOpen }, (post) => {
        if (post.text !== undefined || post.url !== undefined) return;
        throw invalid('text', 'A post needs a text, a url or both; give one of them.');
      }),
    order: () => Promise.reject(new Error('a post is shown, not ordered')),
  };
}
