// Lists tables with one credential of azure-identity: java -cp JARS ListTables.java CREDENTIAL ENDPOINT

import com.azure.core.credential.TokenCredential;
import com.azure.data.tables.TableServiceClientBuilder;
import com.azure.identity.ClientCertificateCredentialBuilder;
import com.azure.identity.ClientSecretCredentialBuilder;
import com.azure.identity.DefaultAzureCredentialBuilder;
import com.azure.identity.ManagedIdentityCredentialBuilder;
import com.azure.identity.WorkloadIdentityCredentialBuilder;

public class ListTables {
    public static void main(String[] words) {
        new TableServiceClientBuilder()
            .endpoint(words[1])
            .credential(credential(words[0]))
            .buildClient()
            .listTables()
            .forEach(table -> System.out.println(table.getName()));
    }

    private static TokenCredential credential(String name) {
        String tenant = System.getenv("AZURE_TENANT_ID");
        String client = System.getenv("AZURE_CLIENT_ID");
        String secret = System.getenv("AZURE_CLIENT_SECRET");
        String certificate = System.getenv("AZURE_CLIENT_CERTIFICATE_PATH");
        String guid = System.getenv("TENANT_GUID");
        return switch (name) {
            case "default" -> new DefaultAzureCredentialBuilder().build();
            case "managed identity" -> new ManagedIdentityCredentialBuilder().build();
            case "secret" -> new ClientSecretCredentialBuilder()
                .tenantId(tenant).clientId(client).clientSecret(secret).build();
            case "secret without discovery" -> new ClientSecretCredentialBuilder()
                .tenantId(guid).clientId(client).clientSecret(secret).disableInstanceDiscovery().build();
            case "certificate" -> new ClientCertificateCredentialBuilder()
                .tenantId(tenant).clientId(client).pemCertificate(certificate).build();
            case "certificate without discovery" -> new ClientCertificateCredentialBuilder()
                .tenantId(guid).clientId(client).pemCertificate(certificate).disableInstanceDiscovery().build();
            case "workload identity" -> new WorkloadIdentityCredentialBuilder().build();
            default -> throw new IllegalArgumentException(name);
        };
    }
}
