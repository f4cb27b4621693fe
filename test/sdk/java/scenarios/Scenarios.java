/** Tests azure-data-tables for Java, unmodified, against the server of TABLES_CONNECTION_STRING. */
class Scenarios {
    public static void main(String[] arguments) {
        Tables.register();
        Types.register();
        Entities.register();
        Writes.register();
        Pages.register();
        Transactions.register();
        Signatures.register();
        Checks.runAll();
        System.exit(0);
    }
}
