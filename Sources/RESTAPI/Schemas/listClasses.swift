import HTTPServer
import JSON
import ObjectJSON
import ObjectModel
import ObjectStore
import StoreService

extension RESTService {
    /// `GET /v1/classes`: the classes with the numbers of their objects, which the store counts as they come and go.
    func listClasses(_ request: Request) throws(RequestFault) -> Outcome {
        let read = try served.read(of: nil)
        defer { read.close() }
        var counts: [Int?] = []
        for rowClass in read.rows.classes {
            let isCounted = rowClass.definition.kind.standsAlone
            counts.append(isCounted ? try served.stored(read.count(rowClass)) : nil)
        }
        let version = StoreVersion(
            epoch: read.epoch, number: try served.stored(read.state().version))
        let classes = zip(read.rows.classes, counts)
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
