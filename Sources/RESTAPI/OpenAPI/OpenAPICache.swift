import HoldfastHTTPServer
import HoldfastRows
import Synchronization

/// A cache of the documents that were generated last: the store's, and those of schemas as users know them. Thread-safe.
final class OpenAPICache: Sendable {
    /// A document as it is sent.
    struct Document: Sendable {
        let bytes: Bytes
        /// Its entity tag, without quotes.
        let tag: String
    }

    private struct Entry {
        let rows: RowSchema
        let usesTokens: Bool
        let document: Document
    }

    /// A larger document is made for each request, so that it holds memory only while it is sent.
    private static let byteCountMax = 8 << 20

    /// Oldest first.
    private let entries = Mutex<[Entry]>([])

    /// The document of a schema, if it is one of those that were made last.
    func document(of rows: RowSchema, usesTokens: Bool) -> Document? {
        entries.withLock { entries in
            entries.first { $0.rows === rows && $0.usesTokens == usesTokens }?.document
        }
    }

    /// Stores a document, in the place of older ones where there would be too much.
    func keep(_ document: Document, of rows: RowSchema, usesTokens: Bool) {
        guard document.bytes.count <= Self.byteCountMax else { return }
        entries.withLock { entries in
            entries.removeAll { $0.rows === rows && $0.usesTokens == usesTokens }
            entries.append(Entry(rows: rows, usesTokens: usesTokens, document: document))
            var byteCount = entries.reduce(0) { $0 + $1.document.bytes.count }
            while byteCount > Self.byteCountMax {
                byteCount -= entries.removeFirst().document.bytes.count
            }
        }
    }
}
