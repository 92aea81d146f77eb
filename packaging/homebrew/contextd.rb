# Read back only: there was no Homebrew to try it with. At a release, `url` and `sha256` become those of the npm package.
class Contextd < Formula
  desc "Local daemon that tells editors and agents which context a model should see"
  homepage "https://www.npmjs.com/package/contextd"
  url "https://registry.npmjs.org/contextd/-/contextd-0.1.0.tgz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink Dir["#{libexec}/bin/*"]
  end

  service do
    run [opt_bin/"contextd", "serve"]
    keep_alive crashed: true
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/contextd version").strip
  end
end
