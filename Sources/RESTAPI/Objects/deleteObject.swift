import Bytes
import HTTPServer
import ObjectModel
import ObjectStore
import Rows
import StoreService

extension RESTService {
    /// `DELETE /v1/classes/{class}/objects/{id}`: deletes an object, the embedded objects it owns and
    /// every link to it.
    func deleteObject(_ request: Request) -> Outcome { delete(request, .path) }

    /// `deleteObject` by either kind of key.
    func delete(_ request: Request, _ source: KeySource) -> Outcome {
        answering { () throws(Problem) in
            _ = try Parameters(request, known: source.parameters([]))
            let precondition = try Precondition(request)
            let scratch = RequestScratch.current
            let names = scratch.names(of: store.catalog.rows, self)
            let target = try target(request, source, names, scratch)
            let number = target.rowClass.number
            let key = target.key
            return .later { exchange in
                self.store.submit(
                    Write({ transaction throws(StoreError) in
                        try Self.delete(key, ofClass: number, precondition, transaction)
                    }) { outcome in
                        switch outcome {
                        case .failure(let error):
                            let problem = self.problem(error)
                            exchange.respond { self.response(problem) }
                        case .success(let committed):
                            var response = Response(204)
                            response.headers.addStoreVersion(committed.version)
                            exchange.respond(response)
                        }
                    })
            }
        }
    }

    private static func delete(
        _ key: Value, ofClass number: UInt32, _ precondition: Precondition,
        _ transaction: WriteTransaction
    ) throws(StoreError) {
        let rows = transaction.catalog.rows
        guard let index = rows.classIndexByNumber[number] else { throw .objectNotFound }
        let rowClass = rows.classes[index]
        let objectKey: UInt64?
        if rowClass.primaryKeyIndex == nil {
            guard case .int(let number) = key else { throw .objectNotFound }
            let found = UInt64(clamping: number)
            objectKey = try transaction.row(rowClass, found) == nil ? nil : found
        } else {
            guard let primaryKey = OrderedKey(key) else { throw .objectNotFound }
            objectKey = try transaction.find(rowClass, primaryKey: primaryKey)?.key
        }
        guard let objectKey else {
            switch precondition {
            case .none, .absent: throw .objectNotFound
            case .exists, .matches: throw .preconditionFailed(Precondition.Failure(current: nil))
            }
        }
        try transaction.delete(rowClass, key: objectKey, precondition: precondition)
    }
}
