import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService
import HoldfastStreams

extension RESTService {
    /// Runs the work of a request with a grant. A fault that the work throws becomes the reply.
    func replying(to grant: Grant?, _ body: () throws(RequestFault) -> Response) -> Response {
        do { return try body() } catch { return response(error, to: grant) }
    }

    /// The JSON of a body, which `Content-Type` has to say it is; valid until the thread parses another.
    ///
    /// - Throws: ``RequestFault`` `.unsupportedMediaType`, `.malformed`, …
    func json(_ request: Request) throws(RequestFault) -> JSONValue {
        _ = try BodyType.read(request)
        return try served.json(request.body, RequestScratch.current.parser)
    }

    // MARK: Classes

    /// The class that the path names first, of kind `object`.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name; `.unsupportedOperation` for a class of another kind.
    func objectClass(_ request: Request, _ names: SchemaNames) throws(RequestFault) -> RowClass {
        let rowClass = try names.anyClass(named: request.className)
        try request.allowing { () throws(RequestFault) in try rowClass.requireObjects() }
        return rowClass
    }

    // MARK: Versions

    /// The version that `minVersion` asks for: itself, or the id of a stream's event, which stands behind one.
    ///
    /// - Throws: ``RequestFault`` `.malformed` if it is no version, `.conflict` if it is of another epoch.
    func minVersion(_ request: Request) throws(RequestFault) -> UInt64 {
        guard let text = request[query: "minVersion"] else { return 0 }
        guard let version = StreamCursor.version(ofID: text.string) else {
            throw .parameter(
                "minVersion",
                "'minVersion' is a version from Holdfast-Version, such as 0k3x9a1b-17, or the id of a stream's event, such "
                    + "as that or 0k3x9a1b-17_4t0c. 'now', 'start', the 'next' of a page and the id of an outbox are not versions."
            )
        }
        guard version.epoch == store.epoch else {
            throw .single(
                .conflict, "other-epoch",
                "This version belongs to another epoch: the store was restored or replaced. Read "
                    + "without 'minVersion' and start from there.",
                partDetail: "The version is of another epoch.", parameter: "minVersion")
        }
        return version.number
    }

    /// Answers as soon as the store has a version: at once when it has, else when it comes, or 503
    /// when it doesn't in time. No thread waits.
    func whenAtVersion(
        _ version: UInt64, _ answer: @escaping @Sendable () throws(RequestFault) -> Outcome
    ) throws(RequestFault) -> Outcome {
        if store.publisher.version >= version { return try answer() }
        return .later { exchange in
            self.served.versionWaiter.wait(
                for: version, seconds: self.served.limits.minVersionWaitSeconds
            ) {
                isReached in
                guard isReached else {
                    exchange.respond(self.response(.versionNotReached))
                    return
                }
                // This is the writer's thread, or the one that keeps the time: neither reads.
                self.scheduleOutcome(for: exchange, answer)
            }
        }
    }
}

extension Request {
    /// The name of the class, which stands first in the path.
    var className: UnsafeRawBufferPointer { UnsafeRawBufferPointer(parameter(0).bytes) }

    /// Runs `body`. Its refusals of asymmetric classes state that the path of objects only takes new objects.
    func allowing<Result>(
        _ body: () throws(RequestFault) -> Result
    ) throws(RequestFault) -> Result {
        do { return try body() } catch {
            guard error.code == RequestFault.asymmetricCode,
                segments.last.map({ $0 == "objects" }) ?? false
            else { throw error }
            var fault = error
            fault.alternatives = "POST, OPTIONS"
            throw fault
        }
    }
}
