import HoldfastBytes
import HoldfastHTTPServer
import HoldfastObjectJSON

/// Writes figures in Prometheus' text format 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats/).
struct MetricsText {
    /// The kinds of figure.
    enum Kind: String { case counter, gauge, histogram }

    /// The text so far.
    let buffer = ByteBuffer(capacity: 16 << 10)

    /// Begins a family; its samples follow.
    func family(_ name: String, _ kind: Kind, _ help: String) {
        buffer.append("# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
    }

    /// Writes a family of one sample for each text of a label.
    func family(
        _ name: String, _ kind: Kind, _ help: String, by label: String,
        _ samples: [(String, Double)]
    ) {
        family(name, kind, help)
        for (text, value) in samples { sample(name, [(label, text)], value) }
    }

    /// Writes one sample.
    func sample(_ name: String, _ labels: [(String, String)] = [], _ value: Double) {
        buffer.append(name)
        if !labels.isEmpty {
            buffer.append(UInt8(ascii: "{"))
            for (index, (label, text)) in labels.enumerated() {
                if index > 0 { buffer.append(UInt8(ascii: ",")) }
                buffer.append(label)
                buffer.append("=\"" as StaticString)
                appendEscaped(text)
                buffer.append(UInt8(ascii: "\""))
            }
            buffer.append(UInt8(ascii: "}"))
        }
        buffer.append(UInt8(ascii: " "))
        if let integer = Int64(exactly: value) {
            buffer.append(String(integer))
        } else {
            buffer.append(value.isInfinite ? (value < 0 ? "-Inf" : "+Inf") : String(value))
        }
        buffer.append(UInt8(ascii: "\n"))
    }

    /// Writes a family of one sample without labels.
    func single(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        family(name, kind, help)
        sample(name, [], value)
    }

    private func appendEscaped(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): buffer.append("\\\\" as StaticString)
            case UInt8(ascii: "\""): buffer.append("\\\"" as StaticString)
            case UInt8(ascii: "\n"): buffer.append("\\n" as StaticString)
            default: buffer.append(byte)
            }
        }
    }
}
