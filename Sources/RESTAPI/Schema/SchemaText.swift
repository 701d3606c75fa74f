import Bytes
import HTTPServer
import JSON
import ObjectJSON
import ObjectModel
import ObjectStore
import StoreService
import Threads

/// A schema as the text of a file, for whoever changes a store without a service.
package enum SchemaText {
    /// The schema in the long form.
    package static func text(of schema: Schema) -> String {
        let buffer = ByteBuffer()
        SchemaWriter(JSONWriter(buffer)).write(schema)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// Changes the schema of a store, as `PUT /v1/schema` does; waits until that is durable.
    ///
    /// - `allowsDataLoss`: Whether values may be lost that the new schema has no room for.
    /// - Returns: The schema's revision.
    package static func put(
        _ text: [UInt8], _ store: Store, allowsDataLoss: Bool = false
    ) throws(RequestFault) -> UInt64 {
        let document = try read(text)
        let outcome = Monitor<Result<Catalog, StoreError>?>(nil)
        store.submit(
            SchemaWrite(store) { present throws(StoreError) in
                if let revision = document.revision, revision != present.revision {
                    throw .schemaRevision(current: present.revision)
                }
                return SchemaProposal(
                    document.schema, renames: document.renames, allowsDataLoss: allowsDataLoss)
            } completion: { result in
                outcome.signal {
                    $0 = result
                    return true
                }
            })
        do {
            return try outcome.wait { $0 }.get().schema.revision
        } catch {
            throw SchemaProblem.make(error, place: document.place)
        }
    }

    /// What a change would do, as JSON.
    package static func dryRun(_ text: [UInt8], _ store: Store) throws(RequestFault) -> String {
        let document = try read(text)
        let buffer = ByteBuffer()
        do throws(StoreError) {
            let steps = try store.previewSchema(
                SchemaProposal(document.schema, renames: document.renames))
            MigrationPreview.write(steps, to: JSONWriter(buffer))
        } catch {
            throw SchemaProblem.make(error, place: document.place)
        }
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    private static func read(_ text: [UInt8]) throws(RequestFault) -> SchemaDocument {
        let parser = JSONParser()
        // The parser copies the text, but what it says of a fault is looked up in it.
        let buffer = ByteBuffer(capacity: text.count)
        buffer.append(text)
        let root: JSONValue
        do throws(JSONError) {
            root = try parser.parse(buffer.bytes)
        } catch {
            throw RequestFault(error, in: buffer.bytes)
        }
        return try SchemaReader.read(root) { $0.readSchema($1) }
    }
}
