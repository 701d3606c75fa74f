import Glibc
import HoldfastHTTPServer
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

@Suite("The public folder")
struct PublicFolderTests {
    private static let script = String(repeating: "// a line of a script\n", count: 100)
    private static let browser = ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")

    /// A server whose folder has a page, a script, a picture, and names that are not served.
    private let server: GuardedServer
    private let outside = TemporaryDirectory()

    init() throws {
        let path = outside.path + "/public"
        for folder in ["", "/assets", "/.git", "/store", "/docs", "/health"].map({ path + $0 }) {
            #expect(mkdir(folder, 0o755) == 0)
        }
        for (name, text) in [
            ("../secret.txt", "classified"), ("index.html", "<p>first</p>"),
            ("app.js", Self.script),
            ("empty.css", ""), (".env", "classified"), (".git/config", "classified"),
            ("assets/index.html", "<p>assets</p>"), ("assets/a b.png", "0123456789"),
            ("store/holdfast.mdb", "classified"), ("store/index.html", "classified"),
            ("docs/mine.txt", "classified"), ("health/mine.txt", "classified"),
            ("metrics", "classified"), ("client", "classified"),
        ] {
            TemporaryDirectory.write(Array(text.utf8), to: "\(path)/\(name)")
        }
        #expect(symlink("../secret.txt", path + "/link.txt") == 0)
        #expect(symlink("..", path + "/up") == 0)
        #expect(mkfifo(path + "/pipe.txt", 0o644) == 0)
        let folder = try #require(
            PublicFolder(path, hiding: outside.path + "/public/../public/store"))
        server = try GuardedServer(withTokens: true) { $0.publicFolder = folder }
    }

    private func get(_ target: String, _ headers: [(String, String)] = []) -> HTTPClient.Reply {
        server.send("GET", target, headers)
    }

    @Test(
        "answers files with their types, without a token",
        arguments: [
            ("/app.js", "text/javascript; charset=utf-8", script),
            ("/app.js?v=2", "text/javascript; charset=utf-8", script),
            ("/empty.css", "text/css; charset=utf-8", ""),
            ("/index.html", "text/html; charset=utf-8", "<p>first</p>"),
            ("/assets/", "text/html; charset=utf-8", "<p>assets</p>"),
            ("/assets/a%20b.png", "image/png", "0123456789"),
        ])
    func files(target: String, type: String, text: String) {
        let reply = get(target)
        #expect(reply.status == 200 && reply.text == text)
        #expect(reply.headers["content-type"] == type)
        #expect(reply.headers["content-length"] == "\(text.utf8.count)")
        #expect(reply.headers["x-content-type-options"] == "nosniff")
        #expect(reply.headers["cache-control"] == "no-cache")
        let head = server.send("HEAD", target)
        #expect(head.status == 200 && head.headers["content-length"] == "\(text.utf8.count)")
    }

    @Test(
        "keeps what is not meant for pages",
        arguments: [
            "/.env", "/.git/config", "/%2egit/config", "/../secret.txt", "/..%2fsecret.txt",
            "/assets/../../secret.txt", "/assets%2f..%2f..%2fsecret.txt", "/link.txt",
            "/up/secret.txt",
            "/store/holdfast.mdb", "/docs/mine.txt", "/health/mine.txt", "/client/mine.js",
            "/pipe.txt", "/pipe.txt/a.js", "/app.js/a.js", "/app.js%00.html", "//app.js",
            "/assets//a%20b.png", "/none.js",
        ])
    func hidden(target: String) {
        for headers in [[], [Self.browser]] {
            let reply = get(target, headers)
            #expect([400, 404].contains(reply.status), "\(reply.status) \(reply.text)")
            #expect(!reply.text.contains("classified"))
        }
    }

    @Test("shows its first page to a browser, at the root and at paths of the application")
    func pages() {
        for target in ["/", "/trips/7/edit", "/trips/"] {
            let reply = get(target, [Self.browser])
            #expect(reply.status == 200 && reply.text == "<p>first</p>", "\(target)")
        }
        #expect(get("/").headers["content-type"] == "application/json")
        #expect(get("/trips/7/edit").status == 404)
        let missing = get("/v1/clases", [Self.browser])
        #expect(missing.status == 404 && missing.text.contains("/v1/classes"))
        #expect(server.send("POST", "/app.js").status == 404)
        #expect(get("/v1/classes", [Self.browser]).status == 401)
        for (target, location) in [
            ("/assets", "/assets/"), ("/assets?a=b%20c&d", "/assets/?a=b%20c&d"),
        ] {
            let redirect = get(target)
            #expect(redirect.status == 308 && redirect.headers["location"] == location)
        }
    }

    @Test("never serves the store's own folder, by whatever name it is found")
    func storeFolder() throws {
        #expect(get("/store").status == 404)
        #expect(get("/store/").status == 404)
        let path = outside.path + "/public"
        let same = try #require(PublicFolder(path, hiding: path + "/assets/.."))
        #expect(same.isHidden)
        #expect(try #require(PublicFolder(path, hiding: path + "/later")).isHidden == false)
    }

    @Test("says that a file is unchanged, until it is")
    func tags() throws {
        let tag = try #require(get("/app.js").headers["etag"])
        let same = get("/app.js", [("If-None-Match", tag)])
        #expect(same.status == 304 && same.body.isEmpty && same.headers["etag"] == tag)
        TemporaryDirectory.write(Array("x".utf8), to: outside.path + "/public/app.js")
        let other = get("/app.js", [("If-None-Match", tag)])
        #expect(other.status == 200 && other.text == "x")
    }

    @Test("tells a file from the one that it replaces, even with equal lengths and times")
    func replacedFile() throws {
        let path = outside.path + "/public/app.js"
        let tag = try #require(get("/app.js").headers["etag"])
        var status = stat()
        #expect(stat(path, &status) == 0)
        let text = String(Self.script.reversed())
        TemporaryDirectory.write(Array(text.utf8), to: path + ".new")
        #expect(utimensat(AT_FDCWD, path + ".new", [status.st_atim, status.st_mtim], 0) == 0)
        #expect(rename(path + ".new", path) == 0)
        let reply = get("/app.js", [("If-None-Match", tag)])
        #expect(reply.status == 200 && reply.text == text)
    }

    @Test("compresses texts for clients that take it, and no pictures")
    func compression() {
        let accepted = [("Accept-Encoding", "gzip")]
        #expect(get("/app.js", accepted).headers["content-encoding"] == "gzip")
        let picture = get("/assets/a%20b.png", accepted)
        #expect(picture.headers["content-encoding"] == nil)
        #expect(picture.headers["accept-ranges"] == "bytes")
        #expect(picture.headers["etag"]?.hasPrefix("\"") == true)
    }

    @Test("has weak tags and no ranges for texts, whose bytes differ when they are compressed")
    func textTags() throws {
        let tags = Set(
            [[], [("Accept-Encoding", "gzip")]].map { accepted in
                let reply = get("/app.js", accepted + [("Range", "bytes=0-1")])
                #expect(reply.status == 200 && reply.headers["accept-ranges"] == nil)
                #expect(reply.headers["vary"] == "Accept-Encoding")
                return reply.headers["etag"]
            })
        let tag = try #require(tags.first ?? nil)
        #expect(tags.count == 1 && tag.hasPrefix("W/\""))
        let same = get("/app.js", [("If-None-Match", tag)])
        #expect(same.status == 304 && same.headers["vary"] == "Accept-Encoding")
    }

    @Test(
        "sends ranges",
        arguments: [
            ("bytes=0-3", 206, "0123", "bytes 0-3/10"), ("bytes=7-", 206, "789", "bytes 7-9/10"),
            ("bytes=-2", 206, "89", "bytes 8-9/10"), ("bytes=8-99", 206, "89", "bytes 8-9/10"),
            ("bytes=-99", 206, "0123456789", "bytes 0-9/10"), ("bytes=10-", 416, "", "bytes */10"),
            ("bytes=-0", 416, "", "bytes */10"), ("bytes=4-2", 200, "0123456789", nil),
            ("bytes=0-1,4-5", 200, "0123456789", nil), ("items=0-1", 200, "0123456789", nil),
            ("bytes=99999999999999999999-", 416, "", "bytes */10"),
            ("bytes=1-99999999999999999999", 206, "123456789", "bytes 1-9/10"),
        ] as [(String, Int, String, String?)])
    func ranges(range: String, status: Int, text: String, part: String?) {
        let reply = get("/assets/a%20b.png", [("Range", range)])
        #expect(reply.status == status && reply.text == text)
        #expect(reply.headers["content-range"] == part)
        let other = get("/assets/a%20b.png", [("Range", range), ("If-Range", "\"other\"")])
        #expect(other.status == 200 && other.text == "0123456789")
    }

    @Test("answers targets with a scheme and a host, and never leads to that host")
    func absolute() {
        for path in ["/assets/", "/client/holdfast.js", "/docs/"] {
            #expect(get("http://localhost\(path)").status == 200, "\(path)")
        }
        let folder = get("http://evil.example/assets?v=1")
        #expect(folder.status == 308 && folder.headers["location"] == "/assets/?v=1", "\(folder)")
    }

    @Test("has the client's module beside it, also without a folder")
    func module() throws {
        let plain = try GuardedServer(withTokens: true)
        for server in [server, plain] {
            let reply = server.send("GET", "/client/holdfast.js")
            #expect(reply.status == 200 && reply.text.contains("export class Holdfast"))
            #expect(reply.headers["content-type"] == "text/javascript; charset=utf-8")
            let tag = try #require(reply.headers["etag"])
            #expect(tag.hasPrefix("W/\""))
            let same = server.send("GET", "/client/holdfast.js", [("If-None-Match", tag)])
            #expect(same.status == 304 && same.headers["vary"] == "Accept-Encoding")
            #expect(server.send("GET", "/client/holdfast.d.ts").text.contains("class Holdfast"))
        }
        let redirect = plain.send("GET", "/docs")
        #expect(redirect.status == 308 && redirect.headers["location"] == "/docs/")
        let page = plain.send("GET", "/docs/")
        #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
        #expect(page.headers["content-security-policy"]?.hasPrefix("default-src") == true)
        #expect(plain.send("GET", "/docs/openapi.yaml").text.contains("\nopenapi: 3.1"))
        let packed = plain.send("GET", "/docs/swagger-ui.css", [("Accept-Encoding", "gzip")])
        #expect(
            packed.headers["content-encoding"] == "gzip" && packed.body.starts(with: [31, 139]))
        #expect(packed.headers["vary"] == "Accept-Encoding")
        let texts = (0..<2).map { _ in plain.send("GET", "/docs/swagger-ui.css").text }
        #expect(texts[0].contains(".swagger-ui") && texts[0] == texts[1])
        #expect(plain.send("GET", "/docs/other.js").status == 404)
        #expect(plain.send("GET", "/index.html").status == 404)
    }
}
