import HoldfastStreams
import HoldfastAccess
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport

@testable import HoldfastRESTAPI

/// A service that needs tokens, with its store at hand, for requests of the administrator, of users and of nobody.
final class RuledServer {
    /// Who asks.
    enum Key {
        case admin, nobody
        case token(String)
    }

    let store: Store
    private let running: RunningService
    private let client: HTTPClient
    private let admin: String

    init(
        _ engine: EngineCase = .memory, classes: [ObjectClass],
        options storeOptions: StoreOptions = StoreOptions(),
        change: (inout RESTOptions) -> Void = { _ in }
    ) throws {
        store = try Store(
            engine: try engine.open(valueByteCountMax: 64 << 20), options: storeOptions)
        try store.setSchema(classes)
        let secret = try TokenSecret()
        admin = secret.text
        _ = try StoredTokens(store).add("admin", TokenTerms(.admin), secret.hash)
        var options = RESTOptions()
        change(&options)
        let logger = Logger(level: .error)
        let table = try AccessTokens(store, logger: logger)
        let service = RESTService(store: store, options: options, tokens: table, logger: logger)
        running = try RunningService(
            service,
            serverOptions: ServerOptions(listen: ListenAddress(host: "127.0.0.1", port: 0)),
            access: AccessPolicy(tokens: table, isInsecure: false, cors: CORSPolicy()))
        client = HTTPClient(port: running.server.addresses.first?.port ?? 0)
    }

    deinit {
        client.disconnect()
        running.stop(graceSeconds: 1)
        store.close()
    }

    /// The port that it listens on.
    var port: UInt16 { running.server.addresses.first?.port ?? 0 }

    /// What tells its streams of changes; nil before the first.
    var streams: StreamHub? { running.service.runningStreams }

    /// Follows a stream of events.
    func follow(
        _ target: String, as asker: Key, from cursor: String? = nil
    ) -> ChangesClient {
        var headers = authorization(asker)
        if let cursor { headers.append(("Last-Event-ID", cursor)) }
        return ChangesClient(port: port, target, headers: headers)
    }

    /// The header that says who asks.
    func headers(_ asker: Key) -> [(String, String)] { authorization(asker) }

    private func authorization(_ asker: Key) -> [(String, String)] {
        switch asker {
        case .admin: [("Authorization", "Bearer \(admin)")]
        case .token(let token): [("Authorization", "Bearer \(token)")]
        case .nobody: []
        }
    }

    /// Begins a long poll of a minute on a connection of its own.
    func poll(_ target: String, as asker: Key) -> HTTPClient {
        let client = HTTPClient(port: port)
        client.beginPoll(target, headers: authorization(asker))
        return client
    }

    /// Sends a request.
    ///
    /// - `type`: The media type of its body, if it has one and no header says another.
    @discardableResult
    func send(
        _ method: String, _ target: String, _ body: String? = nil,
        as asker: Key = .admin,
        type: String = "application/json", headers: [(String, String)] = []
    ) -> HTTPClient.Reply {
        var headers = headers + authorization(asker)
        if body != nil, !headers.contains(where: { $0.0 == "Content-Type" }) {
            headers.append(("Content-Type", type))
        }
        return client.send(method, target, headers: headers, body: body.map { Array($0.utf8) })
    }

    /// Reads.
    func get(
        _ target: String, as asker: Key, _ headers: [(String, String)] = []
    ) -> HTTPClient.Reply {
        send("GET", target, as: asker, headers: headers)
    }

    /// Makes a token of a user.
    func user(
        _ id: String, claims: String = "{}", right: String = "write", classes: String = "[]",
        name: String? = nil
    ) -> Key {
        let made = send(
            "POST", "/v1/tokens",
            "{\"name\":\(quoted(name ?? "user\(id)")),\"right\":\"\(right)\",\"user\":\(quoted(id)),\"claims\":\(claims),\"classes\":\(classes)}"
        )
        return .token(QueryJSON(made.text)?["token"]?.string ?? made.text)
    }
}
