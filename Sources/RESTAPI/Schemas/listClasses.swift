import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

extension RESTService {
    /// `GET /v1/classes`: the classes with the numbers of their objects, which the store counts as they come and go. What a user
    /// sees of them has to be counted.
    func listClasses(_ request: Request) throws(RequestFault) -> Outcome {
        let caller = caller(request)
        guard caller.sight != nil else {
            return .respond(
                try served.withRead(for: caller) { read throws(RequestFault) in
                    try classes(read)
                })
        }
        return answerFromJob { job throws(RequestFault) in
            try self.served.withRead(for: caller, in: job) { read throws(RequestFault) in
                try self.classes(read)
            }
        }
    }

    private func classes(_ read: ReadTransaction) throws(RequestFault) -> Response {
        var classes: [(RowClass, count: Int?)] = []
        for rowClass in read.rows.knownClasses {
            let isCounted = rowClass.definition.kind.standsAlone
            classes.append((rowClass, isCounted ? try served.stored(read.count(rowClass)) : nil))
        }
        let response = Response.object(200) { object in
            object.member("classes").objects(of: classes) { counted, entry in
                let (rowClass, count) = counted
                entry.member("name").string(rowClass.definition.name)
                entry.member("kind").string(rowClass.definition.kind.rawValue)
                if let count { entry.member("count").uint(UInt64(count)) }
            }
        }
        return response.with(.holdfastVersion, try served.version(of: read).description)
    }
}
