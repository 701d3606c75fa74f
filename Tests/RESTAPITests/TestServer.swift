import Glibc
import HoldfastHTTPServer
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastStorage
import Synchronization
import HoldfastTestSupport

/// A whole service on a free port of this machine, over an empty store with a schema.
final class TestServer {
    let store: Store
    let service: RESTService
    let server: Server
    let client: HTTPClient

    convenience init(
        _ engine: EngineCase = .memory, schema: Schema, options: RESTOptions = RESTOptions(),
        valueByteCountMax: Int = 64 << 20
    ) throws {
        try self.init(
            try engine.open(valueByteCountMax: valueByteCountMax), schema: schema, options: options)
    }

    init(
        _ engine: any StorageEngine, schema: Schema, options: RESTOptions = RESTOptions(),
        storeOptions: StoreOptions = StoreOptions()
    ) throws {
        var storeOptions = storeOptions
        // With HOLDFAST_OUTSIDE=1 every test uses out-of-line values.
        if getenv("HOLDFAST_OUTSIDE") != nil { storeOptions.overflowLimits = .tiny }
        store = try Store(engine: engine, options: storeOptions)
        try Self.put(schema, in: store)
        service = RESTService(
            store: store, options: options, tokens: nil, logger: Logger(level: .error))
        var serverOptions = ServerOptions(listen: ListenAddress(host: "127.0.0.1", port: 0))
        serverOptions.makeProblem = Problem.response
        serverOptions.nextStep = NextStep.after
        server = try Server(
            options: serverOptions, routes: Operation.all.map { [service] in $0.route(service) })
        client = HTTPClient(port: server.addresses.first?.port ?? 0)
    }

    deinit {
        client.disconnect()
        server.stop(graceSeconds: 1)
        service.stop()
        store.close()
    }

    /// Sends a request whose body, if there is one, is JSON unless `headers` say otherwise.
    @discardableResult
    func send(
        _ method: String, _ target: String, _ body: String? = nil,
        headers: [(String, String)] = []
    ) -> HTTPClient.Reply {
        var headers = headers
        if body != nil, !headers.contains(where: { $0.0 == "Content-Type" }) {
            headers.append(("Content-Type", "application/json"))
        }
        return client.send(method, target, headers: headers, body: body.map { Array($0.utf8) })
    }

    /// Makes a schema the store's.
    static func put(_ schema: Schema, in store: Store) throws {
        let write = AwaitedSchemaWrite { _ in SchemaProposal(schema) }
        store.submit(write)
        try write.wait()
    }
}
