import Bytes
import HTTPServer
import JSON
import ObjectJSON
import ObjectModel
import ObjectStore
import StoreService

extension RESTService {
    /// `POST /v1/transactions`: several operations, all or none.
    func createTransaction(_ request: Request) -> Outcome {
        answering { () throws(RequestFault) in
            try Parameters.refuseAll(request)
            _ = try BodyType.read(request)
            try request.requireAccepted("application/json")
            guard try Precondition(request) == .none else {
                throw RequestFault(
                    .malformed, "invalid-header",
                    "If-Match and If-None-Match are about one object; give each operation its 'ifMatch'."
                )
            }
            let preferences = try Preferences(request)
            return reading(request) { () throws(RequestFault) in
                try self.once(request) { claim throws(RequestFault) in
                    try self.takeInTransaction(request, preferences, claim)
                }
            }
        }
    }

    private func takeInTransaction(
        _ request: Request, _ preferences: Preferences, _ claim: IdempotencyClaim?
    ) throws(RequestFault) -> Outcome {
        let prepared = try PreparedRequest<TransactionPlan>(served) {
            names, scratch throws(RequestFault) in
            try TransactionReader.read(
                try self.served.json(request.body, scratch.parser), names: names,
                reader: scratch.reader,
                operationCountMax: self.store.options.operationCountMax)
        }
        let transaction = TransactionWrite(self, prepared, preferences)
        let write = RequestedWrite<[TransactionWrite.Written]>(
            run: { write throws(StoreError) in try transaction.run(write) },
            reply: { results, version, view throws(RequestFault) in
                try self.reply(to: results, version, preferences, in: view)
            },
            problem: { transaction.problem($0) },
            isLong: { $0.count > Self.inlineObjectCountMax })
        return .later { self.handIn(write, $0, claim) }
    }

    private func reply(
        to results: [TransactionWrite.Written], _ version: StoreVersion,
        _ preferences: Preferences, in view: ReadTransaction?
    ) throws(RequestFault) -> Response {
        let objects = results.lazy.compactMap(\.object)
        let schema = objects.first?.schema ?? store.catalog.rows
        let names = RequestScratch.current.names(of: schema, served)
        let followsLinks = objects.contains {
            names.classes[$0.classIndex].everything.followsLinks || $0.holdsOutside
        }
        func document(withObjects: Bool) throws(RequestFault) -> HTTPServer.Bytes? {
            try self.document(
                names, followsLinks: withObjects && followsLinks, preferences, in: view
            ) { writer in
                writer.json.raw("{\"version\":")
                writer.json.string(version.description)
                writer.json.raw(",\"results\":")
                writer.array { writer, isFirst in
                    for result in results {
                        writer.separate(&isFirst)
                        writer.write(result, withObject: withObjects)
                    }
                }
                writer.json.raw("}")
            }
        }
        var isMinimal =
            preferences.isMinimal || results.contains { $0.version != nil && $0.object == nil }
        var body = isMinimal ? nil : try document(withObjects: true)
        if body == nil {
            isMinimal = true
            body = try document(withObjects: false)
        }
        var response = body.map { Response(200, .json, $0) } ?? Response(204)
        response.headers.addStoreVersion(version)
        if let applied = preferences.applied(minimal: isMinimal) {
            response.headers.add(.preferenceApplied, applied)
        }
        return response
    }
}

extension ObjectWriter {
    /// Writes what became of an operation: `{"class","id","etag","object"}`.
    fileprivate mutating func write(_ result: TransactionWrite.Written, withObject: Bool) {
        json.raw("{\"class\":")
        json.string(result.rowClass.definition.name)
        json.raw(",\"id\":")
        write(id: result.id)
        if let version = result.version {
            json.raw(",\"etag\":")
            writeVersion(version)
        }
        if withObject, let object = result.object {
            json.raw(",\"object\":")
            write(object)
        }
        json.raw("}")
    }

    /// Writes what names an object, whether or not it is there.
    private func write(id: Value) {
        switch id {
        case .int(let value): write(int: value)
        case .string(let text): json.string(text)
        case .objectID(let value): json.string(value.description)
        case .uuid(let value): json.string(value.description)
        default: json.null()
        }
    }
}
