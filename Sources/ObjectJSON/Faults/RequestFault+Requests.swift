import HoldfastJSON
import HoldfastRows
import HoldfastText

extension RequestFault {
    /// More work waits than the server takes.
    package static let tooBusy = RequestFault(
        .unavailable, "busy", "The server has too much to do; try again.", retryAfterSeconds: 1)

    /// The version of `minVersion` did not come in time.
    package static let versionNotReached = RequestFault(
        .unavailable, "version-not-reached",
        "The store has not reached this version yet; try again.",
        retryAfterSeconds: 1)

    /// The code of what an asymmetric class can not do.
    package static let asymmetricCode = "asymmetric-class"

    /// Makes the fault of an operation that is none of an asymmetric class, whose objects are created,
    /// consumed and forgotten.
    package static func asymmetricClass(_ rowClass: RowClass) -> RequestFault {
        let name = rowClass.definition.name
        return RequestFault(
            .unsupportedOperation, asymmetricCode,
            "Class '\(name)' is asymmetric: its objects are created (POST to its 'objects' or 'import', or "
                + "'create' in a transaction), and consumed and acknowledged at its 'outbox' (GET and "
                + "DELETE). Nothing else reads or changes them.")
    }

    /// Cuts a name from a request where it would make an error unreadable.
    package static func shown(_ name: String) -> String {
        name.count <= 64 ? name : String(name.prefix(64)) + "…"
    }

    /// There is no class of this name.
    package static func unknownClass(_ name: String, _ schema: RowSchema) -> RequestFault {
        let shown = RequestFault.shown(name)
        let detail = "There is no class '\(shown)'."
        return .single(
            .notFound, "unknown-class", detail, parameter: "class",
            hint: NearestName.of(name, among: schema.definition.classes.lazy.map(\.name)))
    }

    /// Makes the fault of a property that the class does not have.
    package static func unknownProperty(_ name: String, _ rowClass: RowClass) -> RequestFault {
        let shown = RequestFault.shown(name)
        let detail = "Class '\(rowClass.definition.name)' has no property '\(shown)'."
        let properties = rowClass.definition.properties
        return .single(
            .notFound, "unknown-property", detail, parameter: "property",
            hint: rowClass.member(named: name).map { properties[$0].name }
                ?? NearestName.of(name, among: rowClass.knownNames))
    }

    /// A text that is not the JSON it should be.
    package init(_ error: JSONError, in text: UnsafeRawBufferPointer) {
        switch error.code {
        case .outOfMemory:
            self = .outOfMemory
        case .internal: self.init(.failed, "internal-error", "The body could not be read.")
        default:
            let (line, column) = error.position(in: text)
            self = .single(
                .malformed, error.code == .tooDeep ? "too-deep" : "malformed-json",
                "The body is not the JSON that this operation takes: line \(line), column \(column): "
                    + "\(error.message).", partDetail: error.message, column: column)
        }
    }
}
