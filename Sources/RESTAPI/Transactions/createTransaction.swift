import Bytes
import HTTPServer
import JSON
import ObjectModel
import ObjectStore

extension RESTService {
    /// `POST /v1/transactions`: several operations, all or none.
    func createTransaction(_ request: Request) -> Outcome {
        answering { () throws(Problem) in
            try Parameters.refuseAll(request)
            _ = try BodyType.read(request)
            try BodyType.requireJSONAccepted(request)
            guard try Precondition(request) == .none else {
                throw Problem(
                    400, "invalid-header",
                    "If-Match and If-None-Match are about one object; give each operation its 'ifMatch'."
                )
            }
            let preferences = try Preferences(request)
            return reading(request) { () throws(Problem) in
                try self.once(request) { claim throws(Problem) in
                    try self.takeInTransaction(request, preferences, claim)
                }
            }
        }
    }

    private func takeInTransaction(
        _ request: Request, _ preferences: Preferences, _ claim: IdempotencyClaim?
    ) throws(Problem) -> Outcome {
        let prepared = try PreparedRequest<TransactionPlan>(self) {
            names, scratch throws(Problem) in
            try TransactionReader.read(
                try self.json(request, scratch.parser), names: names, reader: scratch.reader,
                operationCountMax: self.store.options.operationCountMax)
        }
        let transaction = TransactionWrite(self, prepared)
        let write = RequestedWrite<[TransactionWrite.Written]>(
            run: { write throws(StoreError) in try transaction.run(write) },
            reply: { results, version, view throws(Problem) in
                try self.reply(to: results, version, preferences, in: view)
            },
            problem: { transaction.problem($0) },
            isLong: { $0.count > Self.inlineObjectCountMax })
        return .later { self.handIn(write, $0, claim) }
    }

    private func reply(
        to results: [TransactionWrite.Written], _ version: StoreVersion,
        _ preferences: Preferences, in view: ReadTransaction?
    ) throws(Problem) -> Response {
        let schema = results.lazy.compactMap(\.object).first?.schema ?? store.catalog.rows
        let names = RequestScratch.current.names(of: schema, self)
        let followsLinks = results.contains {
            guard let object = $0.object else { return false }
            return names.classes[$0.rowClass.index].everything.followsLinks || object.holdsOutside
        }
        let body = try document(
            names, followsLinks: followsLinks, preferences, in: view
        ) { writer in
            writer.json.raw("{\"version\":")
            writer.json.string(version.description)
            writer.json.raw(",\"results\":")
            writer.array { writer, isFirst in
                for result in results {
                    writer.separate(&isFirst)
                    writer.write(result, version.epoch, withObject: !preferences.isMinimal)
                }
            }
            writer.json.raw("}")
        }
        var response = Response(200, .json, body)
        response.headers.addStoreVersion(version)
        if let applied = preferences.applied(minimal: preferences.isMinimal) {
            response.headers.add(.preferenceApplied, applied)
        }
        return response
    }
}

extension ObjectWriter {
    /// Writes what became of an operation: `{"class","id","etag","object"}`.
    fileprivate mutating func write(
        _ result: TransactionWrite.Written, _ epoch: UInt64, withObject: Bool
    ) {
        json.raw("{\"class\":")
        json.string(result.rowClass.definition.name)
        json.raw(",\"id\":")
        guard let object = result.object else {
            write(id: result.id)
            return json.raw("}")
        }
        let isWritten: Void? = object.withRow { row in
            writeID(row, key: object.key, object.rowClass)
            json.raw(",\"etag\":")
            writeVersion(row.version)
        }
        if isWritten == nil { json.null() }
        if withObject {
            json.raw(",\"object\":")
            write(object)
        }
        json.raw("}")
    }

    /// Writes what names an object that is not there any more.
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
