import HoldfastAccess
import HoldfastHTTPServer
import HoldfastIdentity
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService
import HoldfastStreams
import HoldfastThreads
import HoldfastTransfer
import Synchronization

/// The state that the handlers of all operations share. Thread-safe; handlers are extensions of it, one file per
/// operation, named by the operation's id in `openapi.yaml`.
package final class RESTService: Sendable {
    /// The served store, with the shared parts of its use cases.
    package let served: ServedStore
    let options: RESTOptions
    /// The tokens that decide about requests; nil when no token is needed.
    let tokens: AccessTokens?
    /// The users with tokens of an issuer or sessions of accounts; nil if no token is needed.
    let users: SignedInUsers?
    let accounts: StoredAccounts
    /// The threads that hash passwords.
    let passwords: PasswordHasher
    let tries: SignInTries
    let access: AccessControl
    private let nobodysGrant = Grant(
        owner: 0, bearer: Principal.nobody, bodyByteCountMax: Operation.anyoneByteCountMax)
    /// The work that users and anonymous visitors have begun under the rules of now.
    let usersWork = WorkEpoch()
    let logger: Logger
    /// The newest audit lines.
    let auditTrail: AuditTrail
    /// The imports and exports.
    let transfers: Transfers
    /// The backups; nil if the service can't make backups.
    let backups: BackupFolder?
    /// The document of the store's classes.
    let openAPI = OpenAPICache()
    /// The figures of the server that the service runs in, once it runs.
    let serverMetrics = Mutex<Metrics?>(nil)
    /// The closed connections with memory that the allocator still keeps.
    let closedConnections = Mutex(ClosedConnections())
    /// The tickets that admit browsers to streams.
    let tickets: StreamTickets
    /// The connections of streams.
    let streamSlots: Slots<ClientKey>
    /// The queries of users that run or wait.
    let userQueries: Slots<ClientKey>
    /// The imports of users, one at a time of each.
    let userImports = Slots<ClientKey>(perOwner: 1)
    /// The lines of the log about files of the public folder.
    let publicFailures = LogRate(perSecond: 10)
    /// The events of streams that hold no object.
    let events: StreamEvents
    /// Change streams; made with the first one.
    private let hub = Monitor<StreamHub?>(nil)

    package var store: Store { served.store }

    var needsToken: Bool { AccessPolicy.needsToken(tokens, users) }

    /// The grant of requests without a token; nil if no role is for anyone. Cost without such a role: an atomic load.
    var nobody: Grant? { access.isForAnyone ? nobodysGrant : nil }

    /// Ends the work that users and anonymous visitors have begun, because other rules hold for it, but for streams
    /// and waits for changes: these learn of other rules by themselves (``StreamHub/accessChanged()``).
    func endWorkOfUsers() { usersWork.end() }

    /// Makes the service of a store.
    package init(
        store: Store, options: RESTOptions, tokens: AccessTokens?, users: SignedInUsers? = nil,
        logger: Logger
    ) {
        self.options = options
        passwords = PasswordHasher(waitingCountMax: options.waitingSignInCountMax)
        tries = SignInTries(countMax: options.signInTryCountMax)
        tickets = StreamTickets(options.limits, key: store.ticketKey)
        streamSlots = Slots(options.streamCountMax, perOwner: options.userStreamCountMax)
        userQueries = Slots(perOwner: options.userQueryCountMax)
        events = StreamEvents(ServerSentEvents(), heartbeatSeconds: options.heartbeatSeconds)
        self.tokens = tokens
        self.users = users
        self.logger = logger
        auditTrail = AuditTrail(logger)
        served = ServedStore(store, limits: options.limits) { failure, isTemporary in
            logger.log(
                isTemporary ? .warning : .error, "storage failed",
                ("code", .text(failure.code.rawValue)), ("operation", .text(failure.operation)),
                ("native", .text(failure.native ?? "")))
        } reportSlow: { query in
            logger.log(
                .warning, "a query was slow",
                [
                    ("class", .text(query.className)), ("query", .text(query.text)),
                    ("plan", .text(query.plan)), ("rowsRead", .number(query.rowsRead)),
                    ("rowsReturned", .number(query.rowsReturned)),
                    ("milliseconds", .number(query.milliseconds)),
                    ("fault", .text(query.fault ?? "")),
                ])
        } reportRefused: { [refusals = LogRate(perSecond: 10)] act in
            guard let passed = refusals.pass() else { return }
            logger.log(
                .info, "no role allows the user's action",
                ("user", .text(act.user ?? "")), ("class", .text(act.className)),
                ("action", .text(act.action.rawValue)),
                ("property", .text(act.property ?? "")),
                ("rules", .text(act.rules.joined(separator: " "))), ("leftOut", .number(passed)))
        }
        accounts = StoredAccounts(store, fault: served.fault)
        access = AccessControl(store, fault: served.fault)
        transfers = Transfers(served)
        backups = BackupFolder(served)
        store.publisher.observe { [held = store.retainedVersions] _ in
            for pile in held.takePiles() {
                logger.log(
                    .info, "old versions are retained, so the data file grows",
                    ("holder", .text(pile.holder.rawValue)),
                    ("versions", .number(pile.versionCount)), ("seconds", .number(pile.seconds)))
            }
        }
        store.observeFailures { error in
            logger.log(
                .error, "the storage failed in the background; acknowledged writes are safe",
                ("operation", .text(error.operation)), ("code", .text(error.code.rawValue)),
                ("native", .text(error.native ?? "")))
        }
    }

    /// Ends streams and answers requests that wait for a change or a version, before the server is stopped.
    package func endWaiting() {
        hub.withLock { $0.take() }?.stop()
        served.versionWaiter.stop()
    }

    /// Ends the service's own threads: after the server has stopped, before the store is closed.
    package func stop() {
        endWaiting()
        users?.stop()
        passwords.stop()
        served.stop()
        transfers.stop()
        backups?.stop()
    }

    /// Change streams, if there has been one.
    var runningStreams: StreamHub? { hub.withLock { $0 } }

    /// Change streams.
    var streams: StreamHub {
        hub.withLock { present in
            if let present { return present }
            let fresh = StreamHub(served, events)
            fresh.start()
            access.observe { [weak fresh] in fresh?.accessChanged() }
            present = fresh
            return fresh
        }
    }
}
