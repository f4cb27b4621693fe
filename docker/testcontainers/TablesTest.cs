// Testcontainers for .NET: dotnet add package Testcontainers, Azure.Data.Tables and xunit, then dotnet test
using Azure.Data.Tables;
using DotNet.Testcontainers.Builders;
using DotNet.Testcontainers.Containers;
using Xunit;

public sealed class TablesTest : IAsyncLifetime
{
    private const string Image = "tanzanite/tanzanite";
    private const int Port = 10002;
    private const string Account = "devstoreaccount1";
    private const string Key =
        "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

    private readonly IContainer tables = new ContainerBuilder()
        .WithImage(Image)
        .WithCommand("--inMemoryPersistence", "--silent")
        .WithPortBinding(Port, true)
        .WithWaitStrategy(Wait.ForUnixContainer()
            .UntilHttpRequestIsSucceeded(request => request.ForPath("/_emulator/ready").ForPort(Port)))
        .Build();

    public Task InitializeAsync() => tables.StartAsync();

    public Task DisposeAsync() => tables.DisposeAsync().AsTask();

    private string ConnectionString
    {
        get
        {
            var endpoint = $"http://{tables.Hostname}:{tables.GetMappedPublicPort(Port)}/{Account}";
            return $"DefaultEndpointsProtocol=http;AccountName={Account};AccountKey={Key};TableEndpoint={endpoint};";
        }
    }

    [Fact]
    public async Task AnEntityComesBack()
    {
        var pets = new TableClient(ConnectionString, "pets");
        await pets.CreateAsync();
        await pets.AddEntityAsync(new TableEntity("dog", "rex") { ["age"] = 3 });
        TableEntity rex = await pets.GetEntityAsync<TableEntity>("dog", "rex");
        Assert.Equal(3, rex["age"]);
    }
}
