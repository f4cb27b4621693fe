/**
 * Text of an Edm.Double as the service writes it in JSON: .NET's round-trip form (15 significant digits where they
 * suffice, else 17; exponent from E+15 or E+17 up and E-05 down, sign and two digits always), and `.0` where the text
 * would else read as an integer. Evidence: recorded (`1.23456789012346E+24`, `5.0`); the thresholds are assumed.
 */
export function formatDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value < 0 ? '-Infinity' : 'Infinity';
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return `${Object.is(value, -0) ? '-0' : value}.0`;
  let digits = 15;
  let exponential = value.toExponential(digits - 1);
  if (Number(exponential) !== value) {
    digits = 17;
    exponential = value.toExponential(digits - 1);
  }
  const [mantissa = '', exponentText = ''] = exponential.split('e');
  const exponent = Number(exponentText);
  const significant = mantissa.replace('-', '').replace('.', '').replace(/0+$/, '');
  const sign = value < 0 ? '-' : '';
  if (exponent >= digits || exponent <= -5) return sign + formatExponential(significant, exponent);
  return sign + formatPlain(significant, exponent);
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
