import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableClientBuilder;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.TableServiceClientBuilder;
import com.azure.data.tables.models.TableAccessPolicy;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableEntityUpdateMode;
import com.azure.data.tables.models.TableSignedIdentifier;
import com.azure.data.tables.sas.TableAccountSasPermission;
import com.azure.data.tables.sas.TableAccountSasResourceType;
import com.azure.data.tables.sas.TableAccountSasService;
import com.azure.data.tables.sas.TableAccountSasSignatureValues;
import com.azure.data.tables.sas.TableSasPermission;
import com.azure.data.tables.sas.TableSasProtocol;
import com.azure.data.tables.sas.TableSasSignatureValues;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Collections;
import java.util.List;

/**
 * Each signature that the SDK makes allows what it says. The check that turns the clock is the last one, because
 * timestamps stay in the future after it.
 */
final class Signatures {
    private static final TableClient table = Checks.table;
    private static final String REFUSED = "403 AuthorizationPermissionMismatch";
    private static final String UNKNOWN = "403 AuthenticationFailed";

    private Signatures() {
    }

    static void register() {
        Checks.check("sas-table", () -> {
            Checks.equal(answersTo(holder(token("r", 1)), newPartition()), List.of("200", REFUSED, REFUSED, REFUSED));
            Checks.equal(answersTo(holder(token("a", 1)), newPartition()), List.of(REFUSED, "204", REFUSED, REFUSED));
            Checks.equal(answersTo(holder(token("raud", 1)), newPartition()), List.of("200", "204", "204", "204"));
        });
        Checks.check("sas-range", () -> {
            String inside = newPartition();
            // The SDK requires a row key together with a partition key.
            TableClient client = holder(table.generateSas(values("raud", 1)
                .setStartPartitionKey(inside).setStartRowKey("0").setEndPartitionKey(inside).setEndRowKey("g")));
            String failure = "403 AuthorizationFailure";
            Checks.equal(answersTo(client, newPartition()), List.of("404 ResourceNotFound", failure, failure, failure));
            Checks.equal(answersTo(client, inside), List.of("200", "204", "204", "204"));
        });
        Checks.check("sas-expired", () -> {
            Checks.equal(answersTo(holder(token("raud", -1)), newPartition()), Collections.nCopies(4, UNKNOWN));
        });
        Checks.check("sas-account", () -> {
            String mismatch = "403 AuthorizationResourceTypeMismatch";
            String ofTables = accountToken("c", TableSasProtocol.HTTPS_HTTP);
            Checks.equal(listing(ofTables), "done");
            Checks.equal(answersTo(holder(ofTables), newPartition()), Collections.nCopies(4, mismatch));
            String ofEntities = accountToken("o", TableSasProtocol.HTTPS_HTTP);
            Checks.equal(listing(ofEntities), mismatch);
            Checks.equal(answersTo(holder(ofEntities), newPartition()), List.of("200", REFUSED, REFUSED, REFUSED));
        });
        Checks.check("sas-https", () -> {
            Checks.equal(listing(accountToken("c", TableSasProtocol.HTTPS_ONLY)), "403 AuthorizationProtocolMismatch");
        });
        Checks.check("sas-policy", () -> {
            TableAccessPolicy policy = new TableAccessPolicy().setExpiresOn(inHours(1)).setPermissions("r");
            table.setAccessPolicies(List.of(new TableSignedIdentifier("readers").setAccessPolicy(policy)));
            TableClient client = holder(table.generateSas(new TableSasSignatureValues("readers")));
            String partition = newPartition();
            Checks.equal(answersTo(client, partition), List.of("200", REFUSED, REFUSED, REFUSED));
            table.setAccessPolicies(List.of());
            Checks.equal(Checks.get(client, partition, "1"), UNKNOWN);
        });
        Checks.check("clock", Signatures::checkClock);
    }

    private static void checkClock() throws Exception {
        String partition = newPartition();
        TableClient reader = holder(token("r", 1));
        OffsetDateTime before = table.getEntity(partition, "1").getTimestamp();
        Checks.equal(Checks.get(reader, partition, "1"), "200");
        turnClock("POST", "{\"advanceMs\":86400000}");
        try {
            table.upsertEntity(new TableEntity(partition, "1"));
            Checks.equal(Checks.get(reader, partition, "1"), UNKNOWN);
        } finally {
            turnClock("DELETE", "");
        }
        OffsetDateTime after = table.getEntity(partition, "1").getTimestamp();
        Checks.equal(Duration.between(before, after).toHours() >= 24, true);
        Checks.equal(Checks.get(reader, partition, "1"), "200");
    }

    private static void turnClock(String method, String body) throws Exception {
        URI address = URI.create(table.getTableEndpoint()).resolve("/_emulator/clock");
        HttpRequest.Builder request = HttpRequest.newBuilder(address)
            .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (!body.isEmpty()) request.header("Content-Type", "application/json");
        var response = HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        Checks.equal(response.statusCode(), 200);
    }

    private static OffsetDateTime inHours(int hours) {
        return OffsetDateTime.now().plusHours(hours);
    }

    private static TableSasSignatureValues values(String permissions, int hours) {
        return new TableSasSignatureValues(inHours(hours), TableSasPermission.parse(permissions));
    }

    private static String token(String permissions, int hours) {
        return table.generateSas(values(permissions, hours));
    }

    private static String accountToken(String resources, TableSasProtocol protocol) {
        return Checks.service.generateAccountSas(new TableAccountSasSignatureValues(inHours(1),
            TableAccountSasPermission.parse("rl"), TableAccountSasService.parse("t"),
            TableAccountSasResourceType.parse(resources)).setProtocol(protocol));
    }

    /** A client of the table that has only a token. */
    private static TableClient holder(String token) {
        return new TableClientBuilder().endpoint(Checks.service.getServiceEndpoint()).sasToken(token)
            .tableName(table.getTableName()).buildClient();
    }

    private static String listing(String token) throws Exception {
        TableServiceClient client = new TableServiceClientBuilder()
            .endpoint(Checks.service.getServiceEndpoint()).sasToken(token).buildClient();
        return Checks.refusalOf(() -> client.listTables().stream().count());
    }

    private static String newPartition() {
        return Transactions.insertRows("1");
    }

    /** The responses to get, insert, update and delete. */
    private static List<String> answersTo(TableClient client, String partition) {
        TableEntity stored = new TableEntity(partition, "1").addProperty("a", 2);
        return List.of(
            Checks.get(client, partition, "1"),
            Checks.answerOf(() -> client.createEntityWithResponse(
                new TableEntity(partition, Checks.randomName()), null, null)),
            Checks.answerOf(() -> client.updateEntityWithResponse(
                stored, TableEntityUpdateMode.MERGE, false, null, null)),
            Checks.answerOf(() -> client.deleteEntityWithResponse(stored, false, null, null)));
    }
}
