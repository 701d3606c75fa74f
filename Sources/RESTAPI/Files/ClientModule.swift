import HoldfastRows
import HoldfastHTTPServer
import HoldfastObjectJSON

/// The client for JavaScript, `clients/javascript`, as the program contains it: a page imports it from its own origin, in the
/// version that fits the service.
enum ClientModule {
    private struct File: Sendable {
        let type: ContentType
        let bytes: Bytes
        let tag: String

        init(_ type: StaticString, _ text: [UInt8]) {
            self.type = ContentType(type, isCompressible: true)
            bytes = Bytes(text)
            tag = String(SipHash128.hash(bytes.buffer).high, radix: 36)
        }
    }

    private static let module = File("text/javascript; charset=utf-8", PackageResources.holdfast_js)
    private static let types = File("text/plain; charset=utf-8", PackageResources.holdfast_d_ts)

    /// The reply to a request for one of the files; nil for another path.
    static func reply(to request: Request) -> Response? {
        guard request.method == .get || request.method == .head else { return nil }
        let file: File
        switch request.rawPath {
        case let path where path == "/client/holdfast.js": file = module
        case let path where path == "/client/holdfast.d.ts": file = types
        default: return nil
        }
        let reply = try? Response.notModified(request, file.tag)
        return (reply ?? Response(200, file.type, file.bytes).with(entityTag: file.tag))
            .with(.cacheControl, "no-cache")
    }
}
