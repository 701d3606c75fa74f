import HTTPServer
import ObjectStore
import Synchronization

/// The document that was made last. Thread-safe.
final class OpenAPICache: Sendable {
    /// A document as it is sent.
    struct Document: Sendable {
        let bytes: Bytes
        /// Its entity tag, without quotes.
        let tag: String
    }

    private struct Kept {
        let catalog: Catalog
        let usesTokens: Bool
        let document: Document
    }

    /// A larger document is made for each request, so that it holds memory only while it is sent.
    private static let byteCountMax = 8 << 20

    private let kept = Mutex<Kept?>(nil)

    /// The document of a catalog, if it is the one that was made last.
    func document(of catalog: Catalog, usesTokens: Bool) -> Document? {
        kept.withLock { kept in
            guard let kept, kept.catalog === catalog, kept.usesTokens == usesTokens else {
                return nil
            }
            return kept.document
        }
    }

    /// Keeps a document in the place of the one before.
    func keep(_ document: Document, of catalog: Catalog, usesTokens: Bool) {
        guard document.bytes.count <= Self.byteCountMax else { return }
        kept.withLock {
            $0 = Kept(catalog: catalog, usesTokens: usesTokens, document: document)
        }
    }
}
