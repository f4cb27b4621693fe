// Reads the response that the SDK received for a call. The SDK itself hides some errors (createTable resolves on 409
// TableAlreadyExists, and deleteTable resolves on 404). It also hides types of numbers (1.0 becomes 1).
import { type GetTableEntityOptions, RestError } from '@azure/data-tables';

type OnResponse = NonNullable<GetTableEntityOptions['onResponse']>;
type Call = (options: { onResponse: OnResponse }) => Promise<unknown>;

/** The status and, for a refusal, the error code: `204`, `409 EntityAlreadyExists`. */
export async function answerOf(call: Call): Promise<string> {
  const { status, text } = await responseOf(call);
  return status < 400 ? String(status) : `${status} ${errorCodeIn(text)}`;
}

/** The body of the response, as it was received. */
export async function bodyOf(call: Call): Promise<string> {
  return (await responseOf(call)).text;
}

async function responseOf(call: Call): Promise<{ status: number; text: string }> {
  let response: { status: number; text: string } | undefined;
  const onResponse: OnResponse = ({ status, bodyAsText }) => {
    response = { status, text: bodyAsText ?? '' };
  };
  try {
    await call({ onResponse });
  } catch (error) {
    if (!(error instanceof RestError)) {
      throw error;
    }
  }
  if (!response) {
    throw new Error('the call ended without an answer');
  }
  return response;
}

function errorCodeIn(body: string): string {
  const { 'odata.error': error }: { 'odata.error': { code: string } } = JSON.parse(body);
  return error.code;
}
