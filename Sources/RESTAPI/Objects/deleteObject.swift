import Bytes
import HTTPServer
import ObjectJSON
import ObjectModel
import ObjectStore
import Rows
import StoreService

extension RESTService {
    /// `DELETE /v1/classes/{class}/objects/{id}`: deletes an object, the embedded objects it owns and
    /// every link to it.
    func delete(_ request: Request, _ source: KeySource) -> Outcome {
        answering { () throws(RequestFault) in
            _ = try Parameters(request, known: source.parameters([]))
            let precondition = try Precondition(request)
            let scratch = RequestScratch.current
            let names = scratch.names(of: store.catalog.rows, served)
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
                            let problem = self.served.fault(error)
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
        try transaction.delete(rows.classes[index], id: key, precondition: precondition)
    }
}

extension WriteTransaction {
    /// Deletes an object that is named as ``find(_:id:)`` takes it.
    ///
    /// - Throws: ``StoreError`` `.preconditionFailed`, `.objectNotFound`, or as
    ///   ``delete(_:key:precondition:)``.
    func delete(_ rowClass: RowClass, id: Value, precondition: Precondition) throws(StoreError) {
        guard let key = try find(rowClass, id: id) else {
            try check(precondition, rowClass, key: nil, nil)
            throw .objectNotFound
        }
        try delete(rowClass, key: key, precondition: precondition)
    }
}
