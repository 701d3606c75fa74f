import HTTPServer
import ObjectModel
import ObjectStore
import TestSupport

@testable import RESTAPI

/// A service with an access policy, as the command runs it.
final class GuardedServer {
    let running: RunningService
    let client: HTTPClient
    let directory = TemporaryDirectory()
    private let store: Store
    /// A token for each right, if there are any.
    private(set) var tokens: [Right: String] = [:]

    init(withTokens: Bool, isInsecure: Bool = false, cors: CORSPolicy = CORSPolicy()) throws {
        store = try Store(engine: try EngineCase.memory.open())
        try TestServer.put(Importing.nodes, in: store)
        let file = TokenFile(directory: directory.path)
        if withTokens {
            for right in Right.allCases {
                tokens[right] = try file.create(name: right.rawValue, right: right)
            }
        }
        let logger = Logger(level: .error)
        let table = try TokenTable(file, logger: logger)
        let service = RESTService(
            store: store, options: RESTOptions(), tokens: table, logger: logger)
        var options = ServerOptions(listen: ListenAddress(host: "127.0.0.1", port: 0))
        options.cors = cors
        running = try RunningService(
            service, serverOptions: options,
            access: AccessPolicy(tokens: table, isInsecure: isInsecure, cors: cors))
        client = HTTPClient(port: running.server.addresses.first?.port ?? 0)
    }

    deinit {
        client.disconnect()
        running.stop(graceSeconds: 1)
        store.close()
    }

    func send(
        _ method: String, _ target: String, _ headers: [(String, String)] = [], body: String? = nil
    ) -> HTTPClient.Reply {
        client.send(method, target, headers: headers, body: body.map { Array($0.utf8) })
    }
}
