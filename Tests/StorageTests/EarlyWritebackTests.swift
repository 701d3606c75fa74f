import Glibc
import TestSupport
import Testing

@testable import StorageLMDB

@Suite("Writing a large commit's pages early")
struct EarlyWritebackTests {
    private let directory = TemporaryDirectory()

    @Test("tells what the kernel could not write, and nothing of files that it can't be asked for")
    func faults() throws {
        let path = "\(directory.path)/file"
        TemporaryDirectory.write([UInt8](repeating: 1, count: 1 << 20), to: path)
        let file = open(path, O_RDWR)
        #expect(try #require(EarlyWriteback(file)).end() == nil)
        close(file)
        #expect(try #require(EarlyWriteback(-1)).end() == EBADF)
        var pipe: (Int32, Int32) = (0, 0)
        let status = withUnsafeMutablePointer(to: &pipe) {
            $0.withMemoryRebound(to: Int32.self, capacity: 2) { Glibc.pipe($0) }
        }
        try #require(status == 0)
        #expect(try #require(EarlyWriteback(pipe.0)).end() == nil)
        close(pipe.0)
        close(pipe.1)
    }
}
