import HTTPServer
import JSON
import ObjectJSON
import ObjectStore
import Rows

extension RESTService {
    /// `PATCH /v1/classes/{class}/objects/{id}/properties/{property}?projection=`: changes the object that
    /// a single property holds by a merge patch in the names of a projection of its class.
    func patchProperty(_ request: Request) -> Outcome {
        answering { () throws(RequestFault) in
            let parameters = try Parameters(request, known: ["projection"])
            guard let name = parameters["projection"]?.string else {
                throw .parameter(
                    "projection",
                    "State the 'projection' whose names the body uses, or change the property by a PATCH "
                        + "of its object.")
            }
            let precondition = try Precondition(request)
            return patchProjected(request) { names, scratch throws(RequestFault) in
                let target = try self.target(request, .path, names, scratch)
                let property = UnsafeRawBufferPointer(request.parameter(2).bytes)
                guard let member = names.classes[target.rowClass.index].member(named: property)
                else {
                    throw .unknownProperty(
                        String(decoding: property, as: UTF8.self), target.rowClass)
                }
                let projection = try self.projection(
                    named: name, of: target.rowClass, member, names)
                let storage = target.rowClass.members[member].storage
                guard storage.shape == .single else {
                    let detail =
                        "'\(target.rowClass.definition.properties[member].name)' is a collection, which "
                        + "is read-only here; change its objects, or the whole collection by a PATCH of "
                        + "its owner."
                    throw RequestFault(
                        .invalid, "projection-read-only", detail,
                        errors: [
                            RequestFault.Entry(
                                code: "projection-read-only", detail: detail, parameter: "property")
                        ])
                }
                let change = ProjectedChange(target.rowClass)
                let inner = change.descend(
                    member, to: projection.rowClass, at: JSONPointer(), makesObject: false)
                if let inner {
                    _ = try ProjectedChangeReader(scratch.reader, names).read(
                        try self.served.json(request.body, scratch.parser), projection, into: inner,
                        id: nil)
                }
                change.finish()
                return ProjectedPatch(
                    target: target, change: change,
                    selection: projection.selection(ofMember: member, of: target.rowClass),
                    precondition: precondition)
            }
        }
    }
}
