import HTTPServer
import JSON
import ObjectJSON
import ObjectModel
import ObjectStore
import Rows
import StoreService

extension RESTService {
    /// Runs a handler; a problem that it throws is its reply.
    func answering(_ body: () throws(RequestFault) -> Outcome) -> Outcome {
        do { return try body() } catch { return .respond(response(error)) }
    }

    /// Runs what makes a reply; a problem that it throws is the reply.
    func replying(_ body: () throws(RequestFault) -> Response) -> Response {
        do { return try body() } catch { return response(error) }
    }

    // MARK: Classes

    /// The class whose name stands first in the path, of kind `object`.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name; `.unsupportedOperation` for a class of another kind.
    func objectClass(_ request: Request, _ names: SchemaNames) throws(RequestFault) -> RowClass {
        let rowClass = try anyClass(request, names)
        do throws(RequestFault) {
            try Self.requireObjects(rowClass)
        } catch {
            var problem = error
            // The one path of objects that an asymmetric class has takes new ones.
            if rowClass.isAsymmetric, request.segments.last.map({ $0 == "objects" }) ?? false {
                problem.alternatives = "POST, OPTIONS"
            }
            throw problem
        }
        return rowClass
    }

    /// The class whose name stands first in the path, of a kind whose objects are created by themselves.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name; `.unsupportedOperation` for an embedded class.
    func creatableClass(_ request: Request, _ names: SchemaNames) throws(RequestFault) -> RowClass {
        let rowClass = try anyClass(request, names)
        if !rowClass.isAsymmetric { try Self.requireObjects(rowClass) }
        return rowClass
    }

    /// The class whose name stands first in the path, of any kind.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name.
    func anyClass(_ request: Request, _ names: SchemaNames) throws(RequestFault) -> RowClass {
        let name = UnsafeRawBufferPointer(request.parameter(0).bytes)
        guard let index = names.classIndex(named: name) else {
            throw .unknownClass(String(decoding: name, as: UTF8.self), names.schema)
        }
        return names.schema.classes[index]
    }

    /// Refuses what an asymmetric class can't do with objects that it is sent: it only creates.
    ///
    /// - Throws: ``RequestFault`` `.malformed`.
    static func requireCreation(_ rowClass: RowClass, mode: WriteMode) throws(RequestFault) {
        guard rowClass.isAsymmetric, mode != .create else { return }
        throw .parameter(
            "mode",
            "Class '\(rowClass.definition.name)' is asymmetric: its objects are only created, so 'mode' is "
                + "create, or left out.")
    }

    /// Refuses a class whose objects are not read and written by themselves.
    ///
    /// - Throws: ``RequestFault`` `.unsupportedOperation`.
    package static func requireObjects(_ rowClass: RowClass) throws(RequestFault) {
        switch rowClass.definition.kind {
        case .object: return
        case .embedded:
            throw RequestFault(
                .unsupportedOperation, "embedded-class",
                "Class '\(rowClass.definition.name)' is embedded: its objects live inside others and are "
                    + "read and written with them.")
        case .asymmetric: throw .asymmetricClass(rowClass)
        }
    }

    // MARK: Versions

    /// The version that `minVersion` asks for.
    ///
    /// - Throws: ``RequestFault`` `.malformed` when it is none, `.conflict` when it is of another epoch.
    func minVersion(_ parameters: Parameters) throws(RequestFault) -> UInt64 {
        guard let text = parameters["minVersion"] else { return 0 }
        guard let version = StoreVersion(text: text.string) else {
            throw .parameter(
                "minVersion",
                "'minVersion' is a version as Holdfast-Version has it, such as 0k3x9a1b-17.")
        }
        guard version.epoch == store.epoch else {
            throw RequestFault(
                .conflict, "other-epoch",
                "This version belongs to another epoch: the store was restored or replaced. Read "
                    + "without 'minVersion' and start from there.",
                errors: [
                    RequestFault.Entry(
                        code: "other-epoch", detail: "The version is of another epoch.",
                        parameter: "minVersion")
                ])
        }
        return version.number
    }

    /// Answers as soon as the store has a version: at once when it has, else when it comes, or 503
    /// when it doesn't in time. No thread waits.
    func whenAtVersion(_ version: UInt64, _ answer: @escaping @Sendable () -> Outcome) -> Outcome {
        if store.publisher.version >= version { return answer() }
        return .later { exchange in
            self.versionWaiter.wait(for: version, seconds: self.options.minVersionWaitSeconds) {
                isReached in
                guard isReached else {
                    exchange.respond(self.response(.versionNotReached))
                    return
                }
                // This is the writer's thread, or the one that keeps the time: neither reads.
                self.decide(for: exchange, answer)
            }
        }
    }

    // MARK: Bodies

    /// Parses the body of a request.
    ///
    /// - Throws: ``RequestFault`` `.malformed` with line and column when it is not JSON.
    func json(_ request: Request, _ parser: JSONParser) throws(RequestFault) -> JSONValue {
        do {
            return try parser.parse(
                request.body, hasPadding: true, depthMax: options.jsonDepthMax)
        } catch {
            throw RequestFault(error, in: request.body)
        }
    }
}
