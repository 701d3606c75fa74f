import HoldfastHTTPServer
import HoldfastObjectStore
import Synchronization

/// A cache of the last generated document. Thread-safe.
final class OpenAPICache: Sendable {
    /// A document as it is sent.
    struct Document: Sendable {
        let bytes: Bytes
        /// Its entity tag, without quotes.
        let tag: String
    }

    private struct Entry {
        let catalog: Catalog
        let usesTokens: Bool
        let document: Document
    }

    /// A larger document is made for each request, so that it holds memory only while it is sent.
    private static let byteCountMax = 8 << 20

    private let entry = Mutex<Entry?>(nil)

    /// The document of a catalog, if it is the one that was made last.
    func document(of catalog: Catalog, usesTokens: Bool) -> Document? {
        entry.withLock { entry in
            guard let entry, entry.catalog === catalog, entry.usesTokens == usesTokens else {
                return nil
            }
            return entry.document
        }
    }

    /// Stores a document instead of the last one.
    func keep(_ document: Document, of catalog: Catalog, usesTokens: Bool) {
        guard document.bytes.count <= Self.byteCountMax else { return }
        entry.withLock {
            $0 = Entry(catalog: catalog, usesTokens: usesTokens, document: document)
        }
    }
}
