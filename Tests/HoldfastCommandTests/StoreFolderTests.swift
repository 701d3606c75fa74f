import Glibc
import HoldfastTestSupport
import Testing

@Suite("The directory of a store")
struct StoreFolderTests {
    private let directory = TemporaryDirectory()
    private var data: String { directory.path + "/data" }
    private static let path = ChildProcess.path(ofProduct: "holdfast")

    /// Runs the command in the test's directory; standard error is in the output too.
    private func run(_ words: String) -> (status: Int32, output: String) {
        let process = ChildProcess(
            "/bin/sh", ["-c", "cd '\(directory.path)' && '\(Self.path)' \(words) 2>&1 </dev/null"])
        var lines: [String] = []
        while let line = process.readLine() { lines.append(line) }
        return (process.wait(), lines.joined(separator: "\n"))
    }

    @Test("is ./data for verbs on tokens too")
    func fallback() {
        #expect(run("token create --name a --rights read").output.contains("'./data'"))
        mkdir(data, 0o700)
        let made = run("token create --name a --rights read")
        #expect(made.status == 0 && made.output.hasPrefix("hf_"), "\(made.output)")
        #expect(run("token list").output.hasPrefix("a\tread\t20"))
        #expect(run("token change --name a --rights write").status == 0)
        #expect(run("token revoke --name a").status == 0)
        #expect(run("token revoke --all").status == 0)
    }

    @Test("is made in a directory that has to be there")
    func parent() {
        let outcome = run("serve --data a/b --listen 127.0.0.1:0")
        #expect(outcome.status == 1)
        #expect(
            outcome.output.contains("there is no directory 'a' for 'a/b'")
                && outcome.output.contains("mkdir -p 'a'"), "\(outcome.output)")
        #expect(access(directory.path + "/a", F_OK) != 0)
    }

    @Test("may hold a store whose making was cut: a check finds no fault, and others say so")
    func unfinished() {
        mkdir(data, 0o700)
        TemporaryDirectory.write([0], to: data + "/holdfast.mdb.new")
        let check = run("check")
        #expect(check.status == 0, "\(check.output)")
        #expect(check.output.contains("was interrupted, and it is still empty"), "\(check.output)")
        let export = run("export out")
        #expect(export.status == 1 && export.output.contains("is still empty"))
        #expect(run("token create --name a --rights read").status == 0)
        #expect(run("check").output.contains("version "))
    }

    @Test("ends its service when it is removed, also where another one takes its place")
    func removed() throws {
        let service = ChildProcess(
            "/bin/sh",
            ["-c", "exec '\(Self.path)' serve --data '\(data)' --listen 127.0.0.1:0 2>&1"])
        #expect(try #require(service.readLine()).hasPrefix("holdfast: serving"))
        let removal = ChildProcess("/bin/rm", ["-r", data])
        #expect(removal.wait() == 0)
        mkdir(data, 0o700)
        #expect(run("token create --name a --rights read").status == 0)
        var last = ""
        while let line = service.readLine() { last = line }
        #expect(last.contains("was removed while its store was served"), "\(last)")
        #expect(service.wait() == 1)
        #expect(run("token list").output.hasPrefix("a\t"))
    }
}
