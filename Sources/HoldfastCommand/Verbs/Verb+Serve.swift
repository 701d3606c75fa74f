import Glibc
import HoldfastAccess
import HoldfastHTTPServer
import HoldfastIdentity
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRESTAPI
import HoldfastStorageLMDB
import HoldfastStoreService

extension Verb {
    /// Where the service listens and is looked for.
    static let listenOption = Option(
        "listen", "HOST:PORT",
        "where the service listens; [::] is every address, port 0 finds a free port",
        fallback: defaultListen)
    /// The address without an option.
    static let defaultListen = "127.0.0.1:8080"

    static let serve = Verb(
        name: "serve", summary: "Serves a store over HTTP until SIGTERM or SIGINT.",
        options: [
            OpenStore.data, listenOption,
            Option(flag: "insecure", "serve every client that reaches the address, without tokens"),
            Option(
                flag: "bootstrap-token",
                "make an admin token and print it, if the store has no tokens yet"),
            Option(
                "jwt-keys", "FILE|URL",
                "the keys (JWK set) of the issuer of JSON Web Tokens; needs the next two"),
            Option("jwt-issuer", "TEXT", "the 'iss' of the issuer's tokens"),
            Option(
                "jwt-audience", "TEXT", "the 'aud' of the issuer's tokens for this service"),
            OpenStore.durability, OpenStore.mapSize, OpenStore.pageCheck, OpenStore.newEpoch,
            Option("sample", "world", "fill a store without classes with sample data"),
            Option(
                "threads", "N", "threads that serve connections; as many long reads run at once",
                fallback: "2"),
            Option(
                "cors-origin", "ORIGIN",
                "an origin whose pages may use the service; repeatable",
                fallback: "all that send a token or a ticket", isRepeatable: true),
            Option(
                "public", "DIR", "a folder of web pages that are served beside the API"),
            Option(flag: "no-console", "serve no console at /console/"),
            Option(
                "trusted-proxy", "CIDR",
                "addresses of proxies with a trusted X-Forwarded-For; repeatable",
                isRepeatable: true),
            Option(flag: "access-log", "write a line for each request to standard output"),
            Option(
                "slow-query", "DURATION",
                "log each query that takes at least this long, such as 500ms"),
            Option("log-level", "LEVEL", "debug, info, notice, warning or error", fallback: "info"),
            Option("log-format", "json|logfmt", "the format of log lines", fallback: "json"),
            Option(
                "grace", "DURATION", "how long running requests may take after SIGTERM",
                fallback: "8s"),
        ] + Limit.all.map(\.commandOption),
        notes: """
            Without tokens the service listens on loopback addresses only, unless --insecure is given;
            'holdfast token create' makes one. The line with the address on standard output means that
            the service is ready. A link to the console follows if input and output are a terminal,
            except in a container; it signs in once and within an hour. SIGTERM ends the service:
            streams are closed, requests get their replies.
            """
    ) { arguments throws(CommandFailure) in
        try ServeCommand(arguments).run()
    }
}

/// Runs the service until a signal ends it.
struct ServeCommand {
    /// The issuer of JSON Web Tokens: the place of the keys, and the issuer and audience in tokens.
    private typealias Issuer = (keys: KeyDocument, name: String, audience: String)

    private let arguments: Arguments
    private let directory: String
    private let listen: ListenAddress
    private var options = ServiceOptions()
    private var logger = Logger()
    private let cors: CORSPolicy
    private let trustedProxies: [AddressRange]
    private let issuer: Issuer?
    private let sample: Sample?
    private let threadCount: Int
    private let graceSeconds: Int

    /// Reads the options.
    init(_ arguments: Arguments) throws(CommandFailure) {
        self.arguments = arguments
        directory = OpenStore.directory(arguments)
        do throws(ServerError) {
            listen = try ListenAddress(arguments.text("listen") ?? Verb.defaultListen)
        } catch { throw .usage("--listen: \(error.description)") }
        cors = try Self.corsPolicy(arguments)
        var trusted: [AddressRange] = []
        for text in arguments.texts("trusted-proxy") {
            guard let range = AddressRange(text) else {
                throw .usage(
                    "--trusted-proxy: '\(text)' is not an address range, such as 10.0.0.0/8 or ::1"
                )
            }
            trusted.append(range)
        }
        trustedProxies = trusted
        issuer = try Self.issuer(arguments)
        sample = try arguments.text("sample").map { name throws(CommandFailure) in
            guard let sample = Sample(rawValue: name) else {
                throw .usage("--sample: there is no sample '\(name)'; 'world' is one")
            }
            return sample
        }
        for limit in Limit.all { try limit.apply(arguments, to: &options) }
        options.rest.limits.pageObjectCountDefault = min(
            options.rest.limits.pageObjectCountDefault, options.rest.limits.pageObjectCountMax)
        options.rest.limits.temporaryDirectory = directory
        options.rest.limits.backupDirectory = directory + "/backups"
        options.rest.publicFolder = try Self.publicFolder(arguments, besides: directory)
        options.rest.hasConsole = !arguments.has("no-console")
        threadCount = try arguments.number("threads", in: 1...1024) ?? 2
        options.rest.limits.scheduling.runningLongCountMax = threadCount
        options.rest.limits.slowQueryMilliseconds = try arguments.milliseconds("slow-query")
        graceSeconds = try arguments.seconds("grace") ?? 8
        logger.level = try arguments.choice("log-level", .info, of: Logger.Level.allCases, \.name)
        logger.format = try arguments.choice("log-format", .json, of: [.json, .logfmt]) { "\($0)" }
    }

    /// Serves; returns when a signal ended the service.
    func run() throws(CommandFailure) -> ExitCode {
        // Before any thread starts, so that all inherit it and the signals wait for this one.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals, nil)

        let store = try OpenStore.open(
            arguments, options.store, for: .making,
            instead: ServiceAddress(in: directory).map {
                "the service at \($0.url) has it, or had it last: stop that, or use it, with --url \($0.url)"
            })
        defer { store.close() }
        if let sample, try !sample.fill(store, in: directory) {
            logger.log(.notice, "the store has classes already, so no sample is put into it")
        }
        let (running, service) = try start(store)
        if try arguments.choice("durability", LMDBOptions.Durability.full) == .relaxed {
            logger.log(.warning, "durability is relaxed: a power cut may lose the last writes")
        }
        let addresses = running.server.addresses.map { "http://\($0)" }.joined(separator: " ")
        if let first = running.server.addresses.first {
            ServiceAddress.note("\(first)", in: directory)
        }
        Terminal.write("holdfast: serving \(directory) at \(addresses)\n")
        if options.rest.hasConsole, Self.isAtTerminal, let first = running.server.addresses.first {
            showConsole(at: ServiceAddress("\(first)"), service)
        }
        ServiceReport.ready()

        let signal = awaitSignal(&signals)
        ServiceReport.stopping()
        guard let signal else {
            running.stop(graceSeconds: graceSeconds)
            throw CommandFailure(
                "the directory '\(directory)' was removed while its store was served: later writes are lost"
            )
        }
        logger.log(.info, "stopping", ("signal", .text(signal == SIGTERM ? "SIGTERM" : "SIGINT")))
        running.stop(graceSeconds: graceSeconds)
        ServiceAddress.forget(in: directory)
        return .success
    }

    /// Whether a person reads the output. The terminal of a container's first process is its log.
    private static var isAtTerminal: Bool { isatty(0) == 1 && isatty(1) == 1 && getpid() != 1 }

    /// Writes the link to the console.
    private func showConsole(at address: ServiceAddress, _ service: RESTService) {
        do throws(RequestFault) {
            let path = try service.makeConsolePath()
            Terminal.write("holdfast: console at \(address.url)\(path)\n")
        } catch {
            logger.log(
                .warning, "the link to the console can't be made", ("detail", .text(error.detail)))
        }
    }

    /// Waits for a signal; nil when the store's directory was removed.
    ///
    /// The files of a removed store can be written as long as they are open, but the written data can't be found any more. Verbs,
    /// and another service that makes a directory of the same name, don't find this service either: a token that is revoked there
    /// would stay valid here.
    private func awaitSignal(_ signals: inout sigset_t) -> Int32? {
        let folder = FileSystem.OpenDirectory(directory)
        while true {
            var second = timespec(tv_sec: 1, tv_nsec: 0)
            let received = sigtimedwait(&signals, nil, &second)
            if received > 0 { return received }
            if folder.isRemoved { return nil }
        }
    }

    private static func corsPolicy(_ arguments: Arguments) throws(CommandFailure) -> CORSPolicy {
        let origins = arguments.texts("cors-origin")
        for origin in origins where !CORSPolicy.isOrigin(origin) {
            throw .usage(
                "--cors-origin: '\(origin)' is not an origin: a scheme, a host and an optional port, "
                    + "such as https://app.example.org or http://localhost:5173, or is '*'.")
        }
        return CORSPolicy(origins: origins)
    }

    /// The folder of pages; nil without the option.
    ///
    /// - Throws: ``CommandFailure`` for a folder with the store in it.
    private static func publicFolder(
        _ arguments: Arguments, besides directory: String
    ) throws(CommandFailure) -> PublicFolder? {
        guard let path = arguments.text("public") else { return nil }
        guard let folder = PublicFolder(path, hiding: directory),
            let pages = FileSystem.realPath(path)
        else { throw .usage("--public: '\(path)' is not a folder that can be read") }
        let data = FileSystem.realPath(directory) ?? directory
        guard folder.isHidden || data == pages || data.hasPrefix(pages == "/" ? "/" : pages + "/")
        else { return folder }
        throw .usage(
            "--public: everybody could fetch the store, because '\(pages)' has the data folder '\(data)' in it. "
                + "Put the pages into a folder of their own, such as --public ./pages, or the data elsewhere (--data)."
        )
    }

    /// Starts the service.
    ///
    /// - Returns: The server that runs, and its service.
    private func start(
        _ store: Store
    ) throws(CommandFailure) -> (running: RunningService, service: RESTService) {
        let tokens: AccessTokens
        do throws(RequestFault) {
            tokens = try AccessTokens(store, logger: logger)
            if arguments.has("bootstrap-token"), !tokens.isEnforced {
                let secret = try TokenSecret()
                _ = try tokens.change { stored throws(RequestFault) in
                    try stored.add("bootstrap", TokenTerms(.admin), secret.hash)
                }
                Terminal.write("holdfast: admin token, shown only this once: \(secret.text)\n")
            } else if arguments.has("bootstrap-token"),
                try StoredTokens(store).read().tokens.isEmpty
            {
                logger.log(
                    .warning,
                    "no token was made: requests need one already, because of accounts or revoked tokens; make one with 'holdfast token create'"
                )
            }
        } catch { throw CommandFailure(error) }
        let users = try signedInUsers(store, tokens)
        let isInsecure = arguments.has("insecure")
        if !AccessPolicy.isLoopback(listen.host), !tokens.isEnforced, issuer == nil, !isInsecure {
            throw CommandFailure(
                "\(listen.host) can be reached by other machines and there are no tokens. Make one "
                    + "with 'holdfast token create --data \(directory) --name NAME --rights admin', or "
                    + "listen on 127.0.0.1, or give --insecure to serve every client.")
        }
        var serverOptions = ServerOptions(listen: listen, threadCount: threadCount)
        serverOptions.cors = cors
        serverOptions.trustedProxies = trustedProxies
        serverOptions.logger = logger
        let service = RESTService(
            store: store, options: options.rest, tokens: tokens, users: users, logger: logger)
        do throws(RequestFault) { try service.removePastConsoleLinks() } catch {
            service.stop()
            throw CommandFailure(error)
        }
        do throws(ServerError) {
            if arguments.has("access-log") {
                serverOptions.accessLog = try LineWriter(descriptor: 1)
            }
            let running = try RunningService(
                service, serverOptions: serverOptions,
                access: AccessPolicy(
                    tokens: tokens, users: users, isInsecure: isInsecure, cors: cors),
                mailbox: TokenMailbox(directory: directory))
            return (running, service)
        } catch {
            service.stop()
            throw CommandFailure(error.description)
        }
    }

    /// The issuer of accepted JSON Web Tokens, from the options; nil if they name no issuer.
    private static func issuer(_ arguments: Arguments) throws(CommandFailure) -> Issuer? {
        let texts = ["jwt-keys", "jwt-issuer", "jwt-audience"].map { arguments.text($0) }
        if texts.allSatisfy({ $0 == nil }) { return nil }
        guard let place = texts[0], let name = texts[1], let audience = texts[2],
            ![place, name, audience].contains("")
        else {
            throw .usage(
                "--jwt-keys, --jwt-issuer and --jwt-audience belong together: an issuer signs for many applications"
            )
        }
        do throws(SigningKeyFailure) {
            return (try KeyDocument(place), name, audience)
        } catch {
            throw .usage("--jwt-keys: \(error)")
        }
    }

    /// The users with JSON Web Tokens or sessions of accounts.
    private func signedInUsers(
        _ store: Store, _ tokens: AccessTokens
    ) throws(CommandFailure) -> SignedInUsers {
        let webTokens = try webTokens()
        let barred = try CommandFailure.telling(tokens.barredUsers())
        return SignedInUsers(
            webTokens, accounts: StoredAccounts(store), key: store.ticketKey, barred: barred)
    }

    /// The JSON Web Tokens that are taken; nil where no issuer is named.
    private func webTokens() throws(CommandFailure) -> WebTokens? {
        guard let issuer else { return nil }
        let report = { @Sendable [logger] (failure: SigningKeyFailure) in
            logger.log(
                .warning,
                "the keys of JSON Web Tokens can't be read; earlier keys, if any, stay valid",
                ("detail", .text(failure.description)))
        }
        let document = issuer.keys
        let keys = SigningKeys(
            allowsSecrets: document.isFile,
            source: { () throws(SigningKeyFailure) in try document.read() }, report: report)
        do throws(SigningKeyFailure) { try keys.read() } catch {
            // An address may be silent for a while, a file that is wrong stays so.
            if document.isFile { throw CommandFailure("--jwt-keys: \(error)") }
            report(error)
        }
        keys.start()
        return WebTokens(keys: keys, issuer: issuer.name, audience: issuer.audience)
    }
}
