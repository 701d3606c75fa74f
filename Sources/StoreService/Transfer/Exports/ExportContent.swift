/// The content of an export.
package enum ExportContent: Sendable {
    /// Everything, and the schema, as NDJSON.
    case store
    /// The objects of a class: what `fields` names of each, or all that is shown of it.
    case objects(ObjectContainer, fields: String?, isCSV: Bool)
}
