import HoldfastJSON
import HoldfastObjectModel
import HoldfastRows
import HoldfastText

extension RequestFault {
    /// There is no projection of this name.
    package static func unknownProjection(
        _ name: String, _ schema: RowSchema, parameter: String = "projection"
    ) -> RequestFault {
        let shown = RequestFault.shown(name)
        let detail = "There is no projection '\(shown)'."
        return .single(
            .notFound, "unknown-projection", detail, parameter: parameter,
            hint: NearestName.of(name, among: schema.projections.map(\.name)))
    }

    /// A change of classes or projections that would leave projections without what they show.
    package init(brokenProjections faults: [ProjectionFault]) {
        let names = Set(faults.map(\.projection)).sorted().map { "'\($0)'" }
        self.init(
            .conflict, "breaks-projection",
            "The change would break the projection\(names.count == 1 ? "" : "s") "
                + names.prefix(10).joined(separator: ", ") + (names.count > 10 ? " and others" : "")
                + "; nothing was changed. Change or delete "
                + (names.count == 1 ? "it" : "them") + " first."
                + FaultList.excess(of: faults.count),
            errors: FaultList(faults) { fault in
                let location = fault.property.map { ", property '\($0)'" } ?? ""
                return Entry(
                    code: "breaks-projection",
                    detail: "Projection '\(fault.projection)'\(location): \(fault.detail)",
                    hint: fault.hint)
            }.entries)
    }

    /// Makes the fault of a definition with faults of its own.
    package static func projection(_ faults: FaultList) -> RequestFault {
        .definition("invalid-projection", faults, "The projection is refused.")
    }
}

extension ProjectionFault {
    /// The nearest known name to an unknown one.
    var hint: String? { unknown.flatMap { NearestName.of($0, among: known) } }

    /// Makes the fault of a definition that is the body of a request.
    package func inBody(_ projection: Projection) -> RequestFault.Entry {
        var pointer = JSONPointer()
        if let property {
            pointer = pointer.appending("properties").appending(property)
        } else if unknown == projection.className {
            pointer = pointer.appending("class")
        }
        return RequestFault.Entry(
            code: "invalid-projection", detail: detail, pointer: pointer.description, hint: hint)
    }
}
