import CHoldfastZlib

/// Packs bytes for tests.
enum Gzip {
    static func pack(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        precondition(shim_deflate_init_gzip(&stream, 6) == Z_OK)
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: bytes.count + 1000)
        let count = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END)
                return output.count - Int(stream.avail_out)
            }
        }
        return Array(output[..<count])
    }
}
