import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

extension RESTService {
    /// `GET /v1/classes`: the classes with the numbers of their objects, which the store counts as they come and go.
    func listClasses(_ request: Request) throws(RequestFault) -> Outcome {
        let (classes, version) = try served.withRead(for: caller(request)) {
            read throws(RequestFault) in
            var classes: [(RowClass, count: Int?)] = []
            for rowClass in read.rows.classes {
                let isCounted = rowClass.definition.kind.standsAlone
                classes.append(
                    (rowClass, isCounted ? try served.stored(read.count(rowClass)) : nil))
            }
            let number = try served.stored(read.state().version)
            return (classes, StoreVersion(epoch: read.epoch, number: number))
        }
        let response = Response.json(200) { json in
            json.object { object in
                object.member("classes").array { list in
                    for (rowClass, count) in classes {
                        list.element().object { entry in
                            entry.member("name").string(rowClass.definition.name)
                            entry.member("kind").string(rowClass.definition.kind.rawValue)
                            if let count { entry.member("count").uint(UInt64(count)) }
                        }
                    }
                }
            }
        }
        return .respond(response.with(.holdfastVersion, version.description))
    }
}
