import HTTPServer
import ObjectModel
import ObjectStore
import StoreService
import TestSupport
import Testing

@testable import RESTAPI

/// A service with an access policy, as the command runs it.
final class GuardedServer {
    let running: RunningService
    let client: HTTPClient
    let directory = TemporaryDirectory()
    private let store: Store
    /// A token for each right, if there are any.
    private(set) var tokens: [Right: String] = [:]

    init(
        withTokens: Bool, isInsecure: Bool = false, cors: CORSPolicy = CORSPolicy(),
        schema: Schema = Importing.nodes, accessLog: LineWriter? = nil,
        change: (inout RESTOptions) -> Void = { _ in }
    ) throws {
        store = try Store(engine: try EngineCase.memory.open())
        try TestServer.put(schema, in: store)
        let file = TokenFile(directory: directory.path)
        if withTokens {
            for right in Right.allCases {
                tokens[right] = try file.create(name: right.rawValue, right: right)
            }
        }
        let logger = Logger(level: .error)
        let table = try AccessTokens(file, logger: logger)
        var serviceOptions = RESTOptions()
        serviceOptions.limits.backupDirectory = directory.path + "/backups"
        change(&serviceOptions)
        let service = RESTService(
            store: store, options: serviceOptions, tokens: table, logger: logger)
        var options = ServerOptions(listen: ListenAddress(host: "127.0.0.1", port: 0))
        options.cors = cors
        options.accessLog = accessLog
        running = try RunningService(
            service, serverOptions: options,
            access: AccessPolicy(tokens: table, isInsecure: isInsecure, cors: cors))
        client = HTTPClient(port: running.server.addresses.first?.port ?? 0)
    }

    var file: TokenFile { TokenFile(directory: directory.path) }
    var port: UInt16 { running.server.addresses.first?.port ?? 0 }

    /// The header that a token is sent in.
    func authorization(_ right: Right) -> (String, String) {
        ("Authorization", "Bearer \(tokens[right] ?? "")")
    }

    /// Revokes the token of a right.
    func revoke(_ right: Right) throws {
        let isRevoked = try file.revoke(name: right.rawValue)
        #expect(isRevoked)
    }

    /// Gives the token of a right another one, as an operator does who edits the file.
    func lower(_ right: Right, to lower: Right) throws {
        let text = String(
            decoding: try #require(TemporaryDirectory.contents(file.path)), as: UTF8.self)
        let edited = text.split(separator: "\n").map { line in
            line.hasPrefix("\(right) \(right) ")
                ? "\(right) \(lower) " + line.dropFirst("\(right) \(right) ".count) : String(line)
        }
        TemporaryDirectory.write(Array((edited.joined(separator: "\n") + "\n").utf8), to: file.path)
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
