import ObjectJSON
import ObjectStore

/// What an export shows.
package enum ExportContent: Sendable {
    /// Everything, and the schema, as NDJSON.
    case store
    /// The objects of a class: what `fields` names of each, or all of it.
    case objects(className: String, fields: String?, isCSV: Bool)

    /// Makes the text, which owns the transaction then.
    ///
    /// - Throws: ``RequestFault`` `.notFound` when there is no such class; when its objects are not read by
    ///   themselves, `fields` are faulty, or a property does not fit into a table.
    package func pieces(
        _ read: ReadTransaction, _ names: SchemaNames
    ) throws(RequestFault) -> any ExportPieces {
        guard case .objects(let className, let fields, let isCSV) = self else {
            return StoreExportCursor(read, names: names)
        }
        guard let index = read.rows.classIndex[className] else {
            throw .unknownClass(className, read.rows)
        }
        let shown = names.classes[index]
        try shown.rowClass.requireObjects()
        let selection =
            fields == nil
            ? shown.everything
            : try FieldSelection(fields: fields, expand: nil, of: shown.rowClass, names: names)
        return isCSV
            ? try CSVExportCursor(read, names: names, selection: selection)
            : ExportCursor(read, names: names, selection: selection)
    }
}
