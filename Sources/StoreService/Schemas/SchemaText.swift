import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore

/// A schema as the text of a file, for verbs that change a store without a service.
package enum SchemaText {
    /// Returns the schema in the long form.
    package static func text(of schema: Schema) -> String {
        let buffer = ByteBuffer()
        SchemaWriter(JSONWriter(buffer)).write(schema)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// Returns the types of a store's classes in TypeScript.
    ///
    /// - `statesNumbers`: Whether an `int` is a number and nothing else, for stores without ints beyond 2^53.
    package static func typeScript(of schema: Schema, statesNumbers: Bool) -> String {
        TypeScriptWriter.text(of: schema, statesNumbers: statesNumbers)
    }

    /// The same of a schema that a service replied.
    package static func typeScript(
        of reply: [UInt8], statesNumbers: Bool
    ) throws(RequestFault) -> String {
        let document = try document(reply)
        var schema = document.schema
        schema.revision = document.revision ?? 0
        return typeScript(of: schema, statesNumbers: statesNumbers)
    }

    /// Changes the schema of a store; waits until that is durable.
    ///
    /// - `allowsDataLoss`: Whether values may be lost that the new schema has no room for.
    /// - Returns: The schema's revision.
    package static func put(
        _ text: [UInt8], _ store: Store, allowsDataLoss: Bool = false
    ) throws(RequestFault) -> UInt64 {
        var change = try change(text)
        change.allowsDataLoss = allowsDataLoss
        return try change.make(in: store).schema.revision
    }

    /// Describes the effect of a change, as JSON.
    package static func dryRun(_ text: [UInt8], _ store: Store) throws(RequestFault) -> String {
        let change = try change(text)
        let buffer = ByteBuffer()
        do throws(StoreError) {
            try change.preview(in: store, to: JSONWriter(buffer))
        } catch {
            throw change.fault(error)
        }
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    private static func change(_ text: [UInt8]) throws(RequestFault) -> CatalogChange {
        CatalogChange(.schema(try document(text)))
    }

    private static func document(_ text: [UInt8]) throws(RequestFault) -> SchemaDocument {
        let parser = JSONParser()
        // Parsed values are valid as long as their parser exists.
        defer { withExtendedLifetime(parser) {} }
        let root = try parser.value(of: text)
        return try SchemaReader.read(root) { $0.readSchema($1) }
    }
}
