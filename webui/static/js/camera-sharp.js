// How sharp a picture is: the variance of its Laplacian (Pech-Pacheco and others, 2000) on a small grey copy of its
// middle, set against the contrast of the same picture, so that a dim room does not read as blur.
const SIDE = 240;
const SOFT = 25;
const SHARP = 50;

export function sharpness(data, width, height) {
  const grey = new Float32Array(width * height);
  let mean = 0;
  for (let i = 0; i < grey.length; i++) {
    grey[i] = 0.299 * data[4 * i] + 0.587 * data[4 * i + 1] + 0.114 * data[4 * i + 2];
    mean += grey[i] / grey.length;
  }
  let [sum, square, contrast, count] = [0, 0, 0, 0];
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const i = y * width + x;
      const edge = 4 * grey[i] - grey[i - 1] - grey[i + 1] - grey[i - width] - grey[i + width];
      sum += edge;
      square += edge * edge;
      contrast += (grey[i] - mean) ** 2;
      count += 1;
    }
  }
  const variance = square / count - (sum / count) ** 2;
  return { variance, share: contrast > 0 ? variance / (contrast / count) : 0 };
}

export class SharpnessMeter {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.canvas.width = this.canvas.height = SIDE;
    this.brush = this.canvas.getContext("2d", { willReadFrequently: true });
  }

  // The middle of the picture, at half its size at most: shrinking further would hide the blur.
  look(video) {
    const side = Math.min(SIDE * 2, video.videoWidth, video.videoHeight);
    const [x, y] = [(video.videoWidth - side) / 2, (video.videoHeight - side) / 2];
    this.brush.drawImage(video, x, y, side, side, 0, 0, SIDE, SIDE);
    const { share } = sharpness(this.brush.getImageData(0, 0, SIDE, SIDE).data, SIDE, SIDE);
    const value = Math.round(100 * Math.min(1, Math.sqrt(share)));
    return { value, word: value >= SHARP ? "sharp" : value >= SOFT ? "soft" : "blurred" };
  }
}
