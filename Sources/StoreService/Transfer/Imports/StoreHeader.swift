import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore

/// The first line of a whole store's export: `{"holdfast":1,"schema":{…},"projections":[…]}`.
struct StoreHeader {
    /// The version of the form of the lines.
    static let formVersion: UInt64 = 1

    /// The classes.
    var schema: Schema
    /// The projections of their objects.
    var projections: [Projection]
}

extension StoreHeader {
    /// Makes the header of a store.
    init(_ catalog: Catalog) {
        schema = catalog.schema
        projections = catalog.projections
    }

    /// Whether objects of a class have lines of their own.
    static func holdsObjects(of objectClass: ObjectClass) -> Bool {
        objectClass.kind == .object
    }

    /// Writes the line, without its end.
    func write(to writer: JSONWriter) {
        writer.object { object in
            object.member("holdfast").uint(Self.formVersion)
            _ = object.member("schema")
            SchemaWriter(writer).write(schema)
            object.member("projections").projections(projections)
        }
    }

    /// Reads the line.
    ///
    /// - Throws: ``RequestFault`` `.invalid` when it is not the first line of an export that this program knows,
    ///   with every fault of its schema.
    static func read(_ root: JSONValue) throws(RequestFault) -> StoreHeader {
        guard root.kind == .object, let version = root.member(named: "holdfast") else {
            throw RequestFault(
                .invalid, "not-an-export",
                "An import of a whole store begins with the line {\"holdfast\":1,\"schema\":{…}} that "
                    + "'GET /v1/export' writes; objects of one class alone go to "
                    + "/v1/classes/{class}/import.")
        }
        guard version.exactInt64 == Int64(formVersion) else {
            throw RequestFault(
                .invalid, "unknown-export-form",
                "The export has another form than \(formVersion), the one that this version reads; "
                    + "import it with the version that wrote it, or a newer one.")
        }
        var schema: JSONValue?
        var projections: JSONValue?
        for member in root.members {
            if member.isNamed("schema") {
                schema = member.value
            } else if member.isNamed("projections") {
                projections = member.value
            } else if !member.isNamed("holdfast") {
                let name = String(decoding: member.name, as: UTF8.self)
                throw RequestFault(
                    .invalid, "unknown-member",
                    "The first line has 'holdfast', 'schema' and 'projections', and not '\(name)'.")
            }
        }
        guard let schema else {
            throw RequestFault(.invalid, "missing-member", "The first line lacks 'schema'.")
        }
        let document = try SchemaReader.read(schema) { $0.readSchema($1) }
        var definitions: [Projection] = []
        if let projections { definitions = try read(projections: projections) }
        return StoreHeader(schema: document.schema, projections: definitions)
    }

    private static func read(projections: JSONValue) throws(RequestFault) -> [Projection] {
        let pointer = JSONPointer().appending("projections")
        guard projections.kind == .array else {
            throw RequestFault(.invalid, "wrong-type", "'projections' is an array of projections.")
        }
        var reader = SchemaReader()
        var result: [Projection] = []
        for (index, value) in projections.elements.enumerated() {
            if let read = reader.readProjection(value, pointer.appending(index: index), named: nil)
            {
                result.append(read)
            }
        }
        guard reader.faults.isEmpty else { throw .projection(reader.faults) }
        return result
    }
}
