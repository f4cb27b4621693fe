/**
 * Formats an Edm.Double as the service writes it in JSON, in .NET's round-trip form. The text has 15 significant digits
 * if 15 digits suffice, and 17 digits otherwise. A number of 15 digits is written with an exponent if the exponent is
 * at least 15. A number of 17 digits is written with an exponent if the exponent is at least 17. Any number is written
 * with an exponent if the exponent is at most -5. The text ends in `.0` if it would otherwise look like an integer.
 * Evidence: recorded (`1.23456789012346E+24`, `5.0`); the thresholds are assumed.
 */
export function formatDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value < 0 ? '-Infinity' : 'Infinity';
  const magnitude = Math.abs(value);
  if (Number.isInteger(value) && magnitude < 1e15) return `${Object.is(value, -0) ? '-0' : value}.0`;
  const shortest = String(value);
  if (magnitude >= 1e-4 && magnitude < 1e15 && shortest.length <= shortCharsMax) return shortest;
  let digits = 15;
  let exponential = value.toExponential(digits - 1);
  if (Number(exponential) !== value) {
    digits = 17;
    exponential = exponentialOf17Digits(value);
  }
  const [mantissa = '', exponentText = ''] = exponential.split('e');
  const exponent = Number(exponentText);
  const significant = mantissa.replace('-', '').replace('.', '').replace(/0+$/, '');
  const sign = value < 0 ? '-' : '';
  if (exponent >= digits || exponent <= -5) return sign + formatExponential(significant, exponent);
  return sign + formatPlain(significant, exponent);
}

/** 15 digits and a point. If 15 digits suffice for a value, its shortest text (`String`) has no more. */
const shortCharsMax = 16;

/**
 * Rounds a tie between two numbers of 17 digits to the even digit. Without this correction, toExponential would round
 * the tie away from zero. Evidence: recorded for one value (azure-storage-node: 123456789012345.125 is
 * `123456789012345.12`); assumed for other values (the even digit decides).
 */
function exponentialOf17Digits(value: number): string {
  const [longer = '', exponent = ''] = value.toExponential(17).split('e');
  if (/[02468]5$/.test(longer) && isExact(value, longer)) return `${longer.slice(0, -1)}e${exponent}`;
  return value.toExponential(16);
}

/** Whether the value has no digits beyond those of `mantissa`. 40 zeros after these digits count as proof. */
function isExact(value: number, mantissa: string): boolean {
  return value.toExponential(57).startsWith(`${mantissa}${'0'.repeat(40)}`);
}

function formatExponential(significant: string, exponent: number): string {
  const fraction = significant.length > 1 ? `.${significant.slice(1)}` : '';
  const exponentDigits = String(Math.abs(exponent)).padStart(2, '0');
  return `${significant[0]}${fraction}E${exponent < 0 ? '-' : '+'}${exponentDigits}`;
}

function formatPlain(significant: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${significant}`;
  const whole = significant.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${whole}.${significant.slice(exponent + 1) || '0'}`;
}
