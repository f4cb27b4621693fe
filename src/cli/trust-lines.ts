// POSIX shell lines that make programs trust a certificate authority, one line for each kind of program. The lines do
// not change the trust stores of the machine.

/** `file` is quoted for the shell. */
type TrustLine = (file: string) => string;

const inContainer = '/etc/tanzanite-authority.pem';
const javaStore = 'tanzanite-authority.p12';

export const trustLines = {
  node: (file) => `export NODE_EXTRA_CA_CERTS=${file}`,
  // requests and aiohttp, below the clients of Azure, read different variables.
  python: (file) => `export REQUESTS_CA_BUNDLE=${file} SSL_CERT_FILE=${file}`,
  java: (file) =>
    `rm -f ${javaStore} && keytool -importcert -noprompt -alias tanzanite -file ${file} -keystore ${javaStore}` +
    ' -storetype PKCS12 -storepass changeit && ' +
    `export JAVA_TOOL_OPTIONS="-Djavax.net.ssl.trustStore=$PWD/${javaStore} -Djavax.net.ssl.trustStorePassword=changeit"`,
  dotnet: (file) => `export SSL_CERT_FILE=${file}`,
  go: (file) => `export SSL_CERT_FILE=${file}`,
  curl: (file) => `export CURL_CA_BUNDLE=${file}`,
  container: (file) =>
    [
      `--volume ${file}:${inContainer}:ro`,
      ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE'].map((name) => `--env ${name}=${inContainer}`),
      '--add-host host.docker.internal:host-gateway',
    ].join(' '),
} as const satisfies Readonly<Record<string, TrustLine>>;

export type Trusting = keyof typeof trustLines;
