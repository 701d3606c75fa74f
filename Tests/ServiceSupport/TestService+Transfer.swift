import HoldfastObjectJSON
import HoldfastStoreService
import HoldfastTransfer

// Whole classes.
extension TestService {
    /// Exports a class.
    ///
    /// - `fields`: The properties; nil for all.
    package func export(
        _ className: String, fields: String? = nil, isCSV: Bool = false
    ) throws -> String {
        let transfers = Transfers(served)
        let export = try transfers.beginExport(
            .objects(.ofClass(className), fields: fields, isCSV: isCSV), of: nil, for: caller)
        defer { transfers.end(export) }
        var text = ""
        while true {
            let piece = try export.pieces.next()
            if piece.isEmpty { return text }
            text += String(decoding: piece, as: UTF8.self)
        }
    }

    /// Imports the text of a class; nil where it is abandoned.
    ///
    /// - `change`: Sets options, such as the format.
    package func `import`(
        _ className: String, _ text: String, _ change: (inout ImportOptions) -> Void = { _ in }
    ) throws -> ImportReport? {
        let transfers = Transfers(served)
        var options = transfers.importOptions
        options.rights = ImportRights(of: caller, in: served)
        change(&options)
        let session = try transfers.makeImport(.objects(className: className), options)
        let outcome = session.run { feed in
            Array(text.utf8).withUnsafeBytes { feed.send($0) }
        }
        return try outcome?.get()
    }
}
