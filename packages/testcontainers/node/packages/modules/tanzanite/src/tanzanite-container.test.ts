import { TableClient } from "@azure/data-tables";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { getImage } from "../../../testcontainers/src/utils/test-helper";
import { TanzaniteContainer } from "./tanzanite-container";

const IMAGE = getImage(__dirname);
const OPTIONS = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };

describe("TanzaniteContainer", { timeout: 240_000 }, () => {
  it("should create a table, insert and get", async () => {
    // startContainer {
    await using container = await new TanzaniteContainer(IMAGE).start();

    const pets = TableClient.fromConnectionString(container.getConnectionString(), "pets", {
      allowInsecureConnection: true,
    });
    await pets.createTable();
    await pets.createEntity({ partitionKey: "dog", rowKey: "rex", age: 3 });

    expect(await pets.getEntity("dog", "rex")).toMatchObject({ age: 3 });
    // }
  });

  it("should accept every account name", async () => {
    // accounts {
    await using container = await new TanzaniteContainer(IMAGE).start();

    const first = TableClient.fromConnectionString(container.getConnectionString("first"), "pets", OPTIONS);
    const second = TableClient.fromConnectionString(container.getConnectionString("second"), "pets", OPTIONS);
    await first.createTable();
    await second.createTable();
    await first.createEntity({ partitionKey: "dog", rowKey: "rex" });

    await expect(second.getEntity("dog", "rex")).rejects.toMatchObject({ statusCode: 404 });
    // }
  });

  it("should start with seeded tables", async () => {
    // seed {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "seed-"));
    fs.writeFileSync(path.join(folder, "pets.ndjson"), '{"PartitionKey":"dog","RowKey":"rex","age":3}\n');

    await using container = await new TanzaniteContainer(IMAGE).withSeed(folder).start();

    const pets = TableClient.fromConnectionString(container.getConnectionString(), "pets", OPTIONS);
    expect(await pets.getEntity("dog", "rex")).toMatchObject({ age: 3 });
    // }
    fs.rmSync(folder, { recursive: true });
  });

  it("should add a fault and set the clock", async () => {
    // control {
    await using container = await new TanzaniteContainer(IMAGE).start();

    await container.control("POST", "clock", { now: "2030-01-31T12:00:00Z" });
    await container.control("POST", "faults", {
      match: { operation: "InsertEntity" },
      when: { first: 1 },
      fault: { kind: "error", code: "ServerBusy" },
    });

    const pets = TableClient.fromConnectionString(container.getConnectionString(), "pets", OPTIONS);
    await pets.createTable();
    const rex = { partitionKey: "dog", rowKey: "rex" };
    await expect(pets.createEntity(rex)).rejects.toMatchObject({ statusCode: 503 });
    await pets.createEntity(rex);
    expect((await pets.getEntity("dog", "rex")).timestamp).toMatch(/^2030-01-31/);
    // }
  });

  it("should accept flags, and refuse an unknown request to the control API", async () => {
    await using container = await new TanzaniteContainer(IMAGE)
      .withFlags("--table-delete-delay", "40")
      .withControlToken("a-token-for-this-test")
      .start();

    expect(container.getControlToken()).toBe("a-token-for-this-test");
    const pets = TableClient.fromConnectionString(container.getConnectionString(), "pets", OPTIONS);
    await pets.createTable();
    await pets.deleteTable();
    await expect(pets.createTable()).rejects.toMatchObject({ statusCode: 409 });
    await expect(container.control("POST", "clock", { now: "yesterday" })).rejects.toThrow(/status 400/);
    const response = await fetch(`http://${container.getHost()}:${container.getPort()}/_emulator/clock`);
    expect(response.status).toBe(401);
  });
});
