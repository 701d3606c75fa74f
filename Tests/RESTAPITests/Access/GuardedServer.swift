import HoldfastAccess
import Glibc
import HoldfastHTTPServer
import HoldfastIdentity
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// A service with an access policy, as the command runs it.
final class GuardedServer {
    private(set) var running: RunningService
    private(set) var client: HTTPClient
    let directory = TemporaryDirectory()
    /// The table of the service that runs.
    private(set) var table: AccessTokens
    private let store: Store
    private let start: () throws -> (RunningService, AccessTokens)
    /// A token for each right, if there are any.
    private(set) var tokens: [Right: String] = [:]

    init(
        withTokens: Bool, isInsecure: Bool = false, cors: CORSPolicy = CORSPolicy(),
        schema: Schema = Importing.nodes, accessLog: LineWriter? = nil,
        logger: Logger = Logger(level: .error), webTokens: WebTokens? = nil,
        change: (inout RESTOptions) -> Void = { _ in }
    ) throws {
        store = try Store(engine: try EngineCase.memory.open())
        try TestServer.put(schema, in: store)
        if withTokens {
            let stored = StoredTokens(store)
            for right in Right.allCases {
                let secret = try TokenSecret()
                tokens[right] = secret.text
                _ = try stored.add(right.rawValue, TokenTerms(right), secret.hash)
            }
        }
        var serviceOptions = RESTOptions()
        serviceOptions.limits.backupDirectory = directory.path + "/backups"
        change(&serviceOptions)
        start = { [store, directory, serviceOptions, logger] in
            let table = try AccessTokens(store, logger: logger)
            let barred = try table.barredUsers()
            let users = SignedInUsers(
                webTokens, accounts: StoredAccounts(store), key: store.ticketKey, barred: barred)
            let service = RESTService(
                store: store, options: serviceOptions, tokens: table, users: users,
                logger: logger)
            var options = ServerOptions(listen: ListenAddress(host: "127.0.0.1", port: 0))
            options.cors = cors
            options.accessLog = accessLog
            let running = try RunningService(
                service, serverOptions: options,
                access: AccessPolicy(
                    tokens: table, users: users, isInsecure: isInsecure, cors: cors),
                mailbox: TokenMailbox(directory: directory.path))
            return (running, table)
        }
        (running, table) = try start()
        client = HTTPClient(port: running.server.addresses.first?.port ?? 0)
    }

    /// Ends the service and starts another one on the same store.
    func restart() throws {
        client.disconnect()
        running.stop(graceSeconds: 1)
        (running, table) = try start()
        client = HTTPClient(port: port)
    }

    /// Makes a backup of the store, restores it into memory, and returns what is restored.
    func restoredStore() throws -> Store {
        let cursor = try BackupCursor(store)
        defer { cursor.close() }
        var bytes: [UInt8] = []
        while true {
            let piece = try cursor.next()
            if piece.isEmpty { break }
            bytes += piece
        }
        var offset = 0
        let reader = try BackupReader { buffer in
            let count = min(buffer.count, bytes.count - offset)
            buffer.copyBytes(from: bytes[offset..<(offset + count)])
            offset += count
            return count
        }
        let engine = try EngineCase.memory.open()
        try reader.restore(into: engine)
        return try Store(engine: engine)
    }

    var port: UInt16 { running.server.addresses.first?.port ?? 0 }

    /// The header that a token is sent in.
    func authorization(_ right: Right) -> (String, String) {
        ("Authorization", "Bearer \(tokens[right] ?? "")")
    }

    /// Revokes the token of a right.
    func revoke(_ right: Right) throws {
        try table.change { stored throws(RequestFault) in try stored.revoke(right.rawValue) }
    }

    /// Waits until so many streams and waiting polls have been let in.
    func awaitWaiting(_ count: Int) {
        let slots = running.service.streamSlots
        for _ in 0..<30_000 where slots.takenCount != count {
            usleep(1000)
        }
        #expect(slots.takenCount == count)
    }

    /// Gives the token of a right another one.
    func lower(_ right: Right, to lower: Right) throws {
        _ = try table.change { stored throws(RequestFault) in
            try stored.change(right.rawValue, TokenMembers(right: lower))
        }
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

extension GuardedServer {
    /// Makes a hundred objects of the class `Loose`, whose export is more than a connection takes at once.
    func fillLoose(_ location: SourceLocation = #_sourceLocation) {
        let label = String(repeating: "x", count: 200_000)
        for _ in 0..<10 {
            let objects = (0..<10).map { "{\"label\":\"\($0)\(label)\"}" }.joined(separator: ",")
            let reply = send(
                "POST", "/v1/classes/Loose/objects",
                [authorization(.write), ("Content-Type", "application/json")],
                body: "[\(objects)]")
            #expect(reply.status == 201, sourceLocation: location)
        }
    }
}
