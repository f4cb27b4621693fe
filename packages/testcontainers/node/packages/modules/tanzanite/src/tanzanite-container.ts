import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { AbstractStartedContainer, GenericContainer, StartedTestContainer, Wait } from "testcontainers";

const TABLE_PORT = 10002;
const SEED_FOLDER = "/seed";
const DEFAULT_ACCOUNT_NAME = "devstoreaccount1";
const ACCOUNT_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/** An emulator of the Azure Table service. It keeps its data in memory and accepts every account name. */
export class TanzaniteContainer extends GenericContainer {
  private readonly flags: string[] = [];
  private controlToken: string = randomUUID();

  constructor(image: string) {
    super(image);
    this.withExposedPorts(TABLE_PORT)
      .withWaitStrategy(Wait.forHttp("/_emulator/ready", TABLE_PORT).forStatusCode(200))
      .withStartupTimeout(120_000);
  }

  /**
   * Fills the account devstoreaccount1 with the tables in a folder before the container is ready.
   * @param folder Holds one file per table, such as `People.ndjson`, `People.csv` or `People.json`.
   */
  public withSeed(folder: string): this {
    const files = fs.readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
        // The files are copied one by one, so that the image's user can read them even if the folder has restrictive
        // modes.
    this.withCopyFilesToContainer(
      files.map(({ name }) => ({ source: path.join(folder, name), target: `${SEED_FOLDER}/${name}`, mode: 0o644 }))
    );
    return this.withFlags("--seed", SEED_FOLDER);
  }

  /** Adds flags of `tanzanite start`, such as `--throttle`, `enforce`. */
  public withFlags(...flags: string[]): this {
    this.flags.push(...flags);
    return this;
  }

    /** Sets the token for requests to the control API, of at least 16 characters. By default it is random. */
  public withControlToken(token: string): this {
    this.controlToken = token;
    return this;
  }

  public override async start(): Promise<StartedTanzaniteContainer> {
    this.withEnvironment({ TANZANITE_CONTROL_TOKEN: this.controlToken }).withCommand([
      "--inMemoryPersistence",
      "--accounts",
      "any",
      "--log-level",
      "warn",
      ...this.flags,
    ]);
    return new StartedTanzaniteContainer(await super.start(), this.controlToken);
  }
}

export class StartedTanzaniteContainer extends AbstractStartedContainer {
  constructor(
    startedTestContainer: StartedTestContainer,
    private readonly controlToken: string
  ) {
    super(startedTestContainer);
  }

  public getPort(): number {
    return this.getMappedPort(TABLE_PORT);
  }

  /** The key of every account. */
  public getAccountKey(): string {
    return ACCOUNT_KEY;
  }

    /** @param accountName Any name of 3 to 24 lowercase letters and digits. The account of a new name is empty. */
  public getTableEndpoint(accountName: string = DEFAULT_ACCOUNT_NAME): string {
    return `${this.getUrl()}/${accountName}`;
  }

    /** @param accountName Any name of 3 to 24 lowercase letters and digits. The account of a new name is empty. */
  public getConnectionString(accountName: string = DEFAULT_ACCOUNT_NAME): string {
    return `DefaultEndpointsProtocol=http;AccountName=${accountName};AccountKey=${ACCOUNT_KEY};TableEndpoint=${this.getTableEndpoint(accountName)};`;
  }

  public getControlToken(): string {
    return this.controlToken;
  }

  /**
   * Sends a request to the control API, which adds faults, sets the clock, saves and restores data, and reports on
   * requests.
   * @param method The HTTP method.
   * @param path Below `/_emulator/`, such as `faults`, `clock`, `reset` or `advisor`.
   * @param body Sent as JSON.
   * @returns The JSON of the response, or undefined if the response has no body.
   */
  public async control(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.getUrl()}/_emulator/${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.controlToken}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new Error(`${method} ${path} failed with status ${response.status}: ${text}`);
    }
    return text === "" ? undefined : JSON.parse(text);
  }

  private getUrl(): string {
    return `http://${this.getHost()}:${this.getPort()}`;
  }
}
