import CHoldfastAssets
import Glibc
import HoldfastBytes
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastRows
import Synchronization

/// The files for browsers that the program contains: the client for JavaScript, so that a page imports it in the version that fits
/// the service, and the viewer of the contract at `/docs/`.
enum WebFiles {
    private final class File: Sendable {
        let path: String
        let type: ContentType
        let isGzip: Bool
        let bytes: Bytes
        let tag: String

        init(_ file: HFWebFile, at path: UnsafePointer<CChar>) {
            self.path = String(cString: path)
            type = ContentType(ofFile: String(cString: file.name))
            isGzip = file.isGzip
            let content = UnsafeRawBufferPointer(start: file.bytes, count: file.count)
            bytes = Bytes(content, keptBy: WebFiles.owner)
            tag = String(SipHash128.hash(content).high, radix: 36)
        }

        /// The bytes of a compressed file as text, kept from the first request without gzip on; nil if there is no memory.
        func text() -> Bytes? {
            keptText.withLock { kept in
                if kept == nil { kept = unpacked() }
                return kept
            }
        }

        private let keptText = Mutex<Bytes?>(nil)

        private func unpacked() -> Bytes? {
            let text = ByteBuffer(capacity: 4 * bytes.count)
            let isRead: Void? = try? GzipReader()?.read(bytes.buffer) {
                text.append($0)
                return true
            }
            return isRead == nil ? nil : Bytes(copying: text.bytes)
        }
    }

    private final class Owner: Sendable {}
    /// The owner of the files' bytes, which are constants of the program.
    private static let owner = Owner()

    /// The files; made when one of them is asked for first.
    private static let files: [File] = {
        var files: [File] = []
        var next = HFWebFiles()
        while let file = next?.pointee, let path = file.path {
            files.append(File(file, at: path))
            next = next?.successor()
        }
        return files
    }()

    /// The pages load nothing from other hosts, and no page of another origin shows them in a frame.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
        connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    /// The reply to a request for one of the files; nil for another path.
    static func reply(to request: Request, hasConsole: Bool) -> Response? {
        guard request.method == .get || request.method == .head,
            request.rawPath.hasPrefix("/docs") || request.rawPath.hasPrefix("/client/")
                || hasConsole && request.rawPath.hasPrefix("/console")
        else { return nil }
        let path = request.rawPath.string
        if path == "/docs" || path == "/console" {
            return Response(308).with(.location, path + "/")
        }
        guard let file = files.first(where: { $0.path == path }) else { return nil }
        // Each file is sent compressed to clients that take it, with other bytes: its tag is weak.
        let reply =
            request.has(file.tag)
            ? Response(304).with(.vary, "Accept-Encoding") : whole(file, for: request)
        return reply?.with(weakTag: file.tag).with(.cacheControl, "no-cache")
            .with(.contentSecurityPolicy, policy)
    }

    private static func whole(_ file: File, for request: Request) -> Response? {
        guard file.isGzip else { return Response(200, file.type, file.bytes) }
        let plain = ContentType(file.type.text, isCompressible: false)
        if request.header(.acceptEncoding)?.listContains("gzip") ?? false {
            return Response(200, plain, file.bytes).with(.contentEncoding, "gzip")
                .with(.vary, "Accept-Encoding")
        }
        return file.text().map { Response(200, plain, $0).with(.vary, "Accept-Encoding") }
    }
}
