import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore

/// The problems of a schema that is read, or that replaces another.
package enum SchemaProblem {
    /// Makes the problem that a failed change is.
    ///
    /// - `pointerOf`: The pointer to something in the body; nil when it is not part of it.
    package static func make(_ error: StoreError, pointerOf: (SchemaSubject) -> JSONPointer?)
        -> RequestFault
    {
        var reader = SchemaReader()
        switch error {
        case .invalidSchema(let faults):
            reader.add(faults) { pointerOf(.className($0)) }
            return invalid(reader.faults)
        case .unsupportedMigration(let faults):
            return refusal(
                "unsupported-migration", faults, pointerOf,
                "This change of the schema is not possible; nothing was changed.")
        case .lossyMigration(let faults):
            return refusal(
                "data-loss", faults, pointerOf, "The change would lose data; nothing was changed.")
        case .duplicateKeys(let faults):
            return refusal(
                "duplicate-key", faults, pointerOf,
                "Objects would have the same primary key; nothing was changed.")
        case .classInUse(let faults):
            return refusal(
                "class-in-use", faults, pointerOf,
                "Other classes name this one; drop or change those properties first.")
        case .invalidRenames(let faults):
            for fault in faults {
                let pointer = pointerOf(.rename(fault.old.description)) ?? JSONPointer()
                reader.fault(pointer, "invalid-rename", fault.detail)
            }
            return invalid(reader.faults)
        case .brokenProjections(let faults): return RequestFault(brokenProjections: faults)
        case .sharedValues(let faults):
            return refusal(
                "shared-values", faults, pointerOf,
                "Objects share values that are to become unique; nothing was changed.")
        case .schemaRevision(let current):
            return RequestFault(
                .conflict, "schema-revision",
                "The schema was made from another revision than the present one, \(current); read it "
                    + "again and repeat the change.")
        case .preconditionFailed:
            return RequestFault(
                .preconditionFailed, "precondition-failed",
                "The schema does not match If-Match; read it again and repeat the change."
            )
        default: return RequestFault(error)
        }
    }

    /// Makes the problem of a change that is refused with a reason for each part of it.
    private static func refusal(
        _ code: String, _ faults: [SchemaFault], _ pointerOf: (SchemaSubject) -> JSONPointer?,
        _ detail: String
    ) -> RequestFault {
        var reader = SchemaReader()
        reader.add(faults) { pointerOf(.className($0)) }
        return RequestFault(
            .conflict, code, detail + FaultList.excess(of: reader.faults.count),
            errors: reader.faults.entries.map { fault in
                var fault = fault
                fault.code = code
                return fault
            })
    }

    /// Makes the problem of a body with faults: 400 when names repeat, else 422.
    static func invalid(_ faults: FaultList) -> RequestFault {
        .definition("invalid-schema", faults, "The schema is refused.")
    }
}

extension SchemaReader {
    /// Reads a document with `body`, which collects faults.
    package static func read<Document>(
        _ root: JSONValue, _ body: (inout SchemaReader, JSONValue) -> Document?
    ) throws(RequestFault) -> Document {
        var reader = SchemaReader()
        if let document = body(&reader, root), reader.faults.isEmpty { return document }
        throw SchemaProblem.invalid(reader.faults)
    }
}

/// Something in the body of a schema change that a fault may be about.
package enum SchemaSubject {
    case className(String)
    /// The renaming of a present name.
    case rename(String)
}
