import HoldfastThreads
import Synchronization

/// Structured log lines of the service, written to a file descriptor with one `write` each, so that
/// lines of several threads do not mix.
package struct Logger: Sendable {
    package enum Level: Int, Sendable, CaseIterable, Comparable {
        case debug, info, notice, warning, error

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        /// The name in a log line and in the configuration.
        package var name: String { "\(self)" }
    }

    package enum Format: Sendable { case json, logfmt }

    /// A field's value.
    package enum Value: Sendable {
        case text(String)
        case number(Int)
    }

    package var level: Level
    package var format: Format
    package var descriptor: Int32

    /// By default: JSON on standard error, from `info` up.
    package init(level: Level = .info, format: Format = .json, descriptor: Int32 = 2) {
        self.level = level
        self.format = format
        self.descriptor = descriptor
    }

    /// Writes one line. Names are constants; values are escaped. Below the level nothing is built.
    package func log(
        _ level: Level, _ message: String, _ fields: @autoclosure () -> [(StaticString, Value)] = []
    ) {
        guard level >= self.level else { return }
        var text = LogLine(format)
        text.timestamp()
        text.member("level", level.name)
        text.member("message", message)
        for (name, value) in fields() {
            switch value {
            case .text(let string): text.member(name, string)
            case .number(let number): text.member(name, number)
            }
        }
        var line = text.finish()
        line.append(UInt8(ascii: "\n"))
        // A log that cannot be written cannot be reported.
        _ = line.withUnsafeBytes { writeAll($0, to: descriptor) }
    }

    /// Writes one line with fields in separate arguments.
    package func log(_ level: Level, _ message: String, _ fields: (StaticString, Value)...) {
        log(level, message, fields)
    }
}

/// Limits log lines to a number a second, after as many at once, so that events that clients can cause at will do not fill the log. Thread-safe.
package final class LogRate: Sendable {
    private enum Line { case any }

    private let rate: Rate<Line>
    /// The number of lines that were left out since the last one that was written.
    private let leftOutCount = Atomic(0)

    /// Allows `perSecond` lines a second.
    package init(perSecond: Int) { rate = Rate(perSecond) }

    /// Decides whether another line may be written. Returns the number of lines that were left out before it; nil if this line is
    /// left out, too.
    package func pass(at nanoseconds: UInt64 = monotonicNanoseconds()) -> Int? {
        if rate.take(.any, at: nanoseconds) { return leftOutCount.exchange(0, ordering: .relaxed) }
        leftOutCount.wrappingAdd(1, ordering: .relaxed)
        return nil
    }
}
