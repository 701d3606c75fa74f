import JSON
import ObjectModel

/// The first line of a whole store's export: `{"holdfast":1,"schema":{…},"projections":[…]}`.
struct StoreHeader {
    /// The version of the form of the lines.
    static let formVersion: UInt64 = 1

    /// The classes.
    var schema: Schema

    /// Whether objects of a class have lines of their own.
    static func holdsObjects(of objectClass: ObjectClass) -> Bool {
        objectClass.kind == .object
    }

    /// Whether a store has all these classes as they are; it may have others.
    func isHeld(by present: Schema) -> Bool {
        !schema.classes.isEmpty
            && schema.classes.allSatisfy { present.objectClass(named: $0.name) == $0 }
    }

    /// Why objects of these classes can't be taken by a store: every class that differs.
    func conflict(with present: Schema) -> Problem {
        let faults = schema.classes.enumerated().compactMap { index, objectClass in
            let stored = present.objectClass(named: objectClass.name)
            if stored == objectClass { return nil as Problem.Fault? }
            return Problem.Fault(
                code: "schema-conflict",
                detail: stored == nil
                    ? "The store has no class '\(objectClass.name)'."
                    : "Class '\(objectClass.name)' is another one in the store.",
                pointer: JSONPointer().appending("schema").appending("classes")
                    .appending(index: index).description)
        }
        return Problem(
            409, "schema-conflict",
            "The store has a schema already, and it differs from the import's: import into an empty "
                + "store, or give this one the same classes first (PUT /v1/schema).",
            errors: faults)
    }

    /// Writes the line, without its end.
    func write(to writer: JSONWriter) {
        writer.object { object in
            object.member("holdfast").uint(Self.formVersion)
            _ = object.member("schema")
            SchemaWriter(writer).write(schema)
            object.member("projections").array { _ in }
        }
    }

    /// Reads the line.
    ///
    /// - Throws: ``Problem`` 422 when it is not the first line of an export that this program knows,
    ///   with every fault of its schema.
    static func read(_ root: JSONValue) throws(Problem) -> StoreHeader {
        guard root.kind == .object, let version = root.member(named: "holdfast") else {
            throw Problem(
                422, "not-an-export",
                "An import of a whole store begins with the line {\"holdfast\":1,\"schema\":{…}} that "
                    + "'GET /v1/export' writes; objects of one class alone go to "
                    + "/v1/classes/{class}/import.")
        }
        guard version.exactInt64 == Int64(formVersion) else {
            throw Problem(
                422, "unknown-export-form",
                "The export has another form than \(formVersion), the one that this version reads; "
                    + "import it with the version that wrote it, or a newer one.")
        }
        var schema: JSONValue?
        for member in root.members {
            if member.isNamed("schema") {
                schema = member.value
            } else if member.isNamed("projections") {
                guard member.value.kind == .array, member.value.count == 0 else {
                    throw Problem(
                        422, "not-supported",
                        "This version has no projections; take them out of the first line.")
                }
            } else if !member.isNamed("holdfast") {
                let name = String(decoding: member.name, as: UTF8.self)
                throw Problem(
                    422, "unknown-member",
                    "The first line has 'holdfast', 'schema' and 'projections', and not '\(name)'.")
            }
        }
        guard let schema else {
            throw Problem(422, "missing-member", "The first line lacks 'schema'.")
        }
        let document = try SchemaReader.read(schema) { $0.readSchema($1) }
        return StoreHeader(schema: document.schema)
    }
}
