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
        let parser = JSONParser()
        // Parsed values are valid as long as their parser exists.
        defer { withExtendedLifetime(parser) {} }
        let root = try parser.value(of: text)
        return CatalogChange(.schema(try SchemaReader.read(root) { $0.readSchema($1) }))
    }
}
