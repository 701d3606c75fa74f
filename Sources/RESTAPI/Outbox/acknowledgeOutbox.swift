import HTTPServer
import JSON
import ObjectJSON
import ObjectStore
import Rows
import StoreService

extension RESTService {
    /// Objects that one transaction of an acknowledgement takes away.
    private static let acknowledgedCountMax = 4096

    /// `DELETE /v1/classes/{class}/outbox?through=`: acknowledges what was consumed up to a place. It is
    /// taken away in bounded transactions, the oldest first.
    func acknowledgeOutbox(_ request: Request) -> Outcome {
        answering { () throws(RequestFault) in
            let parameters = try Parameters(request, known: ["through"])
            try request.requireAccepted("application/json")
            let read = try served.stored { () throws(StoreError) in try store.read() }
            defer { read.close() }
            let rowClass = try asymmetricClass(request, served.names(of: read.rows))
            guard let text = parameters["through"]?.string else {
                throw .parameter(
                    "through",
                    "State in 'through' up to where the outbox was consumed: the \"through\" of a reply, "
                        + "or the id of an event.")
            }
            let cursor = try outboxCursor(text, "through", of: rowClass, in: read)
            return .later { self.acknowledge(cursor, count: 0, $0) }
        }
    }

    /// How many that is where a transaction may have even less.
    private var acknowledgedCountMax: Int {
        min(Self.acknowledgedCountMax, store.options.operationCountMax)
    }

    /// Takes the next objects away, then goes on until nothing is left. Any thread.
    private func acknowledge(_ cursor: OutboxCursor, count: Int, _ exchange: Exchange) {
        store.submit(
            Write({ transaction throws(StoreError) in
                let rows = transaction.catalog.rows
                // A class that was dropped meanwhile has no outbox left to take from.
                guard let index = rows.classIndexByNumber[cursor.classNumber],
                    rows.classes[index].isAsymmetric
                else { return Acknowledgement(count: 0, goesOn: false) }
                return try transaction.acknowledge(
                    rows.classes[index], through: cursor.key, countMax: self.acknowledgedCountMax)
            }) { outcome in
                switch outcome {
                case .failure(let error):
                    let problem = self.served.fault(error)
                    exchange.respond { self.response(problem) }
                case .success(let committed):
                    let count = count + committed.result.count
                    if committed.result.goesOn {
                        return self.acknowledge(cursor, count: count, exchange)
                    }
                    let version = committed.version
                    exchange.respond {
                        var response = Response.json(200) { json in
                            json.object { object in
                                object.member("affected").int(Int64(count))
                                object.member("version").string(version.description)
                            }
                        }
                        response.headers.addStoreVersion(version)
                        return response
                    }
                }
            })
    }
}
